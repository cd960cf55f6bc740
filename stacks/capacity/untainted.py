"""How many untainted nodes a shape needs, and where Kubernetes' own pods end up among them.

Kubernetes spreads its pods over the emptiest nodes, before ours come. The same is done here, the largest pods
first; ours must fit beside them.
"""

import dataclasses
import heapq
import math
from collections.abc import Sequence

from stacks.capacity import allocatable, system_pods
from stacks.capacity.plan import PodKind
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import Arrangement, NodeRoom, Shape, Shortfall, bare_node
from stacks.capacity.system_pods import SystemPod

_MOST_NODES = 100
_INTERFACE: tuple[PodKind, ...] = ("interface", "training")


def untainted_nodes(request: PlanRequest, shape: Shape) -> list[NodeRoom]:
    """The fewest nodes that hold Kubernetes' own pods and the least that ours need.

    The nodes that carry our pods come first. Only pool `main` of *apart* can have more than one. Where no
    number suffices, some of the nodes aren't enough.
    """
    nodes = _nodes(request, shape, 2 if shape.arrangement is Arrangement.SINGLE else 1)
    while not all(node.is_enough for node in nodes):
        count = len(nodes) + _nodes_missing(nodes)
        if shape.arrangement is not Arrangement.APART or count > _MOST_NODES:
            break
        nodes = _nodes(request, shape, count)
    return nodes


def _nodes(request: PlanRequest, shape: Shape, count: int) -> list[NodeRoom]:
    """So many untainted nodes with Kubernetes' own pods on them, and with room kept for ours."""
    carried = _carried(shape, count)
    pools = [pool for pool, _ in carried] + ["main"] * (count - len(carried))
    bare = bare_node(request, shape.main, "main")
    nodes = [dataclasses.replace(bare, pool=pool) for pool in pools]
    worker_nodes = shape.worker_nodes(request.workers)
    vcpus = count * shape.main.vcpus + worker_nodes * shape.worker.vcpus
    place(system_pods.cluster_pods(count + worker_nodes, vcpus), nodes)
    if shape.arrangement is Arrangement.SINGLE:
        _assume_the_worst(nodes)
    else:
        nodes.sort(key=lambda node: -node.cpu_for_ours)
    for node, (_, kinds) in zip(nodes, carried, strict=False):
        for kind in kinds:
            node.keep(request, kind)
    return nodes


def _carried(shape: Shape, count: int) -> list[tuple[str, tuple[PodKind, ...]]]:
    """Pool of each node that carries our pods, and their kinds; interface and training share a volume."""
    match shape.arrangement:
        case Arrangement.TOGETHER:
            return [("main", (*_INTERFACE, "master", "worker"))]
        case Arrangement.APART:
            return (
                [("main", (*_INTERFACE, "master"))]
                if count == 1
                else [("main", _INTERFACE), ("main", ("master",))]
            )
        case Arrangement.SINGLE:
            return [("if", _INTERFACE), ("master", ("master",))]


def _assume_the_worst(nodes: Sequence[NodeRoom]) -> None:
    """Let each node have as much of Kubernetes' own as any: which of them gets what isn't known."""
    cpu, memory = max(node.cpu_system for node in nodes), max(node.memory_system for node in nodes)
    for node in nodes:
        node.cpu_system, node.memory_system = cpu, memory


def _nodes_missing(nodes: Sequence[NodeRoom]) -> int:
    """At least how many more such nodes are needed, beyond all bounds where more can't help."""
    if (
        any(node.cpu <= node.cpu_kept or node.memory <= node.memory_kept for node in nodes[:1])
        and len(nodes) > 1
    ):
        return _MOST_NODES
    cpu = sum(node.cpu_kept - node.cpu_for_ours for node in nodes)
    memory = sum(node.memory_kept - node.memory_for_ours for node in nodes)
    return max(1, math.ceil(cpu / max(1, nodes[0].cpu)), math.ceil(memory / max(1, nodes[0].memory)))


def place(pods: Sequence[SystemPod], nodes: Sequence[NodeRoom]) -> None:
    """Place Kubernetes' own pods, each on the node with most CPU left among those that have memory for it.

    Args:
        pods: The largest first.
        nodes: Changed: each takes up the pods placed on it, beyond its room where no node has any.
    """
    emptiest_first = [(-node.cpu_for_ours, number) for number, node in enumerate(nodes)]
    heapq.heapify(emptiest_first)
    for pod in pods:
        passed_over: list[tuple[int, int]] = []
        while len(emptiest_first) > 1 and nodes[emptiest_first[0][1]].memory_for_ours < pod.memory_mib:
            passed_over.append(heapq.heappop(emptiest_first))
        number = emptiest_first[0][1]
        nodes[number].cpu_system += pod.cpu_millicores
        nodes[number].memory_system += pod.memory_mib
        heapq.heapreplace(emptiest_first, (-nodes[number].cpu_for_ours, number))
        for entry in passed_over:
            heapq.heappush(emptiest_first, entry)


def shortfall(request: PlanRequest, shape: Shape, nodes: Sequence[NodeRoom]) -> Shortfall:
    """Say of the node that lacks most what it lacks."""
    node = max(
        nodes,
        key=lambda node: (node.cpu_kept - node.cpu_for_ours, node.memory_kept - node.memory_for_ours),
    )
    cpu_missing = node.cpu_kept - node.cpu_for_ours
    if cpu_missing > 0:
        offered, unit, thing = allocatable.cpu_millicores(shape.main), "m", "CPU"
        here, other, kept, missing = offered - node.cpu, node.cpu_system, node.cpu_kept, cpu_missing
    else:
        offered, unit, thing = allocatable.memory_mib(shape.main), " MiB", "memory"
        here, other, kept = offered - node.memory, node.memory_system, node.memory_kept
        missing = node.memory_kept - node.memory_for_ours
    return Shortfall(
        max(0, cpu_missing),
        (
            f"machineType={shape.main.name} is too small for pool {node.pool}: of {offered}{unit} of {thing}"
            f" for pods on a node, what Kubernetes runs on every node takes {here}{unit}, its other pods up"
            f" to {other}{unit}, and {' + '.join(node.kinds)} need at least {kept}{unit}: {missing}{unit} are"
            f" missing. {_fix(request)}",
        ),
    )


def _fix(request: PlanRequest) -> str:
    if not request.cloud_logging:
        return "Choose a larger machineType."
    agent, without = system_pods.node_pod(has_logging=True), system_pods.node_pod(has_logging=False)
    cpu, memory = agent.cpu_millicores - without.cpu_millicores, agent.memory_mib - without.memory_mib
    return (
        f"Choose a larger machineType or set cloudLogging to false, which frees {cpu}m and {memory} MiB"
        " on every node."
    )
