"""How many untainted nodes a shape needs, and where Kubernetes' own pods end up among them.

Kubernetes spreads pods over the emptiest nodes. The same is done here, the largest pods first, after the
least that our own pods need has been set aside.
"""

import heapq
import math
from collections.abc import Sequence

from stacks.capacity import allocatable, system_pods
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import UNTAINTED, Arrangement, NodeRoom, Shape, Shortfall, bare_node
from stacks.capacity.system_pods import SystemPod

_MOST_NODES = 100


def untainted_nodes(request: PlanRequest, shape: Shape) -> list[NodeRoom] | Shortfall:
    """The fewest nodes that hold Kubernetes' own pods and the least that ours need.

    The first ones carry our pods, in the order of `UNTAINTED`; only *apart* can have more than those.
    """
    can_grow = shape.arrangement is Arrangement.APART
    nodes: list[NodeRoom] = []
    count = len(UNTAINTED[shape.arrangement])
    while count <= _MOST_NODES:
        nodes, all_placed = _placed(request, shape, count)
        if all_placed:
            return nodes
        if not can_grow:
            break
        count += _nodes_missing(nodes)
    return _shortfall(request, shape, nodes)


def _placed(request: PlanRequest, shape: Shape, count: int) -> tuple[list[NodeRoom], bool]:
    """So many untainted nodes with all that must be on them, and whether it has room."""
    bare = bare_node(request, shape.main)
    nodes = [NodeRoom(bare.cpu, bare.memory) for _ in range(count)]
    for node, kinds in zip(nodes, UNTAINTED[shape.arrangement].values(), strict=False):
        for kind in kinds:
            node.keep(request, kind)
    worker_nodes = shape.worker_nodes(request.workers)
    vcpus = count * shape.main.vcpus + worker_nodes * shape.worker.vcpus
    return nodes, place(system_pods.cluster_pods(count + worker_nodes, vcpus), nodes)


def _nodes_missing(nodes: Sequence[NodeRoom]) -> int:
    """At least how many more such nodes are needed, beyond all bounds where a node has nothing to give."""
    cpu, memory = nodes[0].cpu, nodes[0].memory
    if cpu <= 0 or memory <= 0:
        return _MOST_NODES
    cpu_missing, memory_missing = (
        -sum(node.cpu_left for node in nodes),
        -sum(node.memory_left for node in nodes),
    )
    return max(1, math.ceil(cpu_missing / cpu), math.ceil(memory_missing / memory))


def place(pods: Sequence[SystemPod], nodes: Sequence[NodeRoom]) -> bool:
    """Place Kubernetes' own pods on the nodes; whether they and what is kept for ours have room.

    Each goes to the node with most CPU left among those that have memory for it.

    Args:
        pods: The largest first.
        nodes: Changed: each takes up the pods placed on it, even where the answer is no.
    """
    emptiest_first = [(-node.cpu_left, number) for number, node in enumerate(nodes)]
    heapq.heapify(emptiest_first)
    for pod in pods:
        passed_over: list[tuple[int, int]] = []
        while len(emptiest_first) > 1 and nodes[emptiest_first[0][1]].memory_left < pod.memory_mib:
            passed_over.append(heapq.heappop(emptiest_first))
        number = emptiest_first[0][1]
        nodes[number].cpu_system += pod.cpu_millicores
        nodes[number].memory_system += pod.memory_mib
        heapq.heapreplace(emptiest_first, (-nodes[number].cpu_left, number))
        for entry in passed_over:
            heapq.heappush(emptiest_first, entry)
    return all(node.cpu_left >= 0 and node.memory_left >= 0 for node in nodes)


def _shortfall(request: PlanRequest, shape: Shape, nodes: Sequence[NodeRoom]) -> Shortfall:
    """Say which of the nodes' CPU and memory doesn't suffice."""
    offered = len(nodes) * allocatable.cpu_millicores(shape.main)
    everywhere = offered - sum(node.cpu for node in nodes)
    system, kept = sum(node.cpu_system for node in nodes), sum(node.cpu_kept for node in nodes)
    memory_missing = -min(node.memory_left for node in nodes)
    cpu_missing = max(-min(node.cpu_left for node in nodes), -sum(node.cpu_left for node in nodes), 0)
    kinds = ", ".join(kind for kinds in UNTAINTED[shape.arrangement].values() for kind in kinds)
    where = f"{len(nodes)} x {shape.main.name} ({', '.join(UNTAINTED[shape.arrangement])})"
    if cpu_missing:
        arithmetic = (
            f"pods may have {offered}m of CPU; what Kubernetes runs on every node takes {everywhere}m, its"
            f" other pods {system}m, and {kinds} need at least {kept}m: {cpu_missing}m are missing"
        )
    else:
        arithmetic = f"{memory_missing} MiB of memory are missing for Kubernetes' own pods and {kinds}"
    fixes = ["choose a larger machineType"]
    if request.cloud_logging:
        agent = system_pods.node_pod(has_logging=True), system_pods.node_pod(has_logging=False)
        cpu, memory = (
            agent[0].cpu_millicores - agent[1].cpu_millicores,
            agent[0].memory_mib - agent[1].memory_mib,
        )
        fixes.append(f"set cloudLogging to false, which frees {cpu}m and {memory} MiB on every node")
    return Shortfall(cpu_missing, f"{where}: {arithmetic}. {_sentence(fixes)}")


def _sentence(fixes: Sequence[str]) -> str:
    joined = " or ".join(fixes)
    return f"{joined[0].upper()}{joined[1:]}."
