"""Layouts: the pools of a shape, and what each of its pods gets of its node.

Quotas and prices have no say here; `search` chooses among shapes.
"""

from collections.abc import Sequence

from stacks.capacity import allocatable
from stacks.capacity.machines import MachineType
from stacks.capacity.plan import Disk, Layout, NodeLoad, Pod, PodKind, Pool
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import (
    ROLE_OF,
    UNTAINTED,
    NodeRoom,
    Shape,
    Shortfall,
    WorkerShare,
    bare_node,
    worker_share,
)
from stacks.capacity.sharing import NEEDS, shared
from stacks.capacity.untainted import untainted_nodes
from stacks.topology import Role


def lay_out(request: PlanRequest, shape: Shape) -> Layout | Shortfall:
    """Give every pod of a shape its node and its size, or say which don't fit.

    Disks get the type that the machines' family prefers; `disks` may choose another.
    """
    node = bare_node(request, shape.worker)
    has_own_nodes = shape.worker_nodes(request.workers) > 0
    share = worker_share(request, node.cpu, node.memory, shape.workers_per_node) if has_own_nodes else None
    if has_own_nodes and share is None:
        return _workers_too_large(request, shape, node)
    nodes = untainted_nodes(request, shape)
    if isinstance(nodes, Shortfall):
        return nodes
    pods, loads = _untainted_pods(request, shape, nodes)
    if share is not None:
        pods.append(_worker(share, request.workers, tolerates_taint=True))
        loads.append(_load("workers", shape.worker, node, [_worker(share, shape.workers_per_node)]))
    return Layout(
        pools=_pools(request, shape, len(nodes)),
        pods=tuple(pods),
        loads=tuple(loads),
        workers_per_node=shape.workers_per_node,
        runs_disk=Disk(type=shape.main.family.disk_types[0], size_gb=request.runs_disk_gb),
    )


def _untainted_pods(
    request: PlanRequest, shape: Shape, nodes: Sequence[NodeRoom]
) -> tuple[list[Pod], list[NodeLoad]]:
    """Our pods on the untainted nodes, and how full each different one of those nodes is."""
    pods: list[Pod] = []
    loads: list[NodeLoad] = []
    carried = UNTAINTED[shape.arrangement]
    further = nodes[len(carried) :]
    for (key, kinds), node in zip(carried.items(), nodes, strict=False):
        here = _pods_on(request, node, kinds, is_alone=not further)
        pods += here
        loads.append(_load(key, shape.main, node, here))
    if further:
        loads.append(_load("main", shape.main, max(further, key=lambda node: node.cpu_system), []))
    return pods, loads


def _pods_on(request: PlanRequest, node: NodeRoom, kinds: Sequence[PodKind], *, is_alone: bool) -> list[Pod]:
    """Sizes of our pods on an untainted node; workers, where there are any, get what the others leave."""
    services: list[PodKind] = [kind for kind in kinds if kind != "worker"]
    has_workers = len(services) < len(kinds)
    for_workers = NodeRoom(0, 0)
    if has_workers:
        for_workers.keep(request, "worker")
    cpu, memory = node.cpu - node.cpu_system, node.memory - node.memory_system
    is_generous = is_alone and not has_workers
    cpus = shared(cpu - for_workers.cpu_kept, [NEEDS[kind].cpu for kind in services], is_generous=is_generous)
    memories = shared(
        memory - for_workers.memory_kept, [NEEDS[kind].memory for kind in services], is_generous=is_generous
    )
    pods = [
        Pod(kind=kind, role=ROLE_OF[kind], count=1, cpu_millicores=cpu_each, memory_mib=memory_each)
        for kind, cpu_each, memory_each in zip(services, cpus, memories, strict=True)
    ]
    share = worker_share(request, cpu - sum(cpus), memory - sum(memories), request.workers)
    if has_workers and share is not None:
        pods.append(_worker(share, request.workers))
    return pods


def _worker(share: WorkerShare, count: int, *, tolerates_taint: bool = False) -> Pod:
    return Pod(
        kind="worker",
        role=Role.WORKER,
        count=count,
        cpu_millicores=share.cpu_millicores,
        memory_mib=share.memory_mib,
        tolerates_taint=tolerates_taint,
    )


def _load(key: str, machine: MachineType, node: NodeRoom, pods: Sequence[Pod]) -> NodeLoad:
    cpu, memory = allocatable.cpu_millicores(machine), allocatable.memory_mib(machine)
    return NodeLoad(
        pool=key,
        cpu_allocatable=cpu,
        cpu_system=cpu - node.cpu + node.cpu_system,
        cpu_asked=sum(pod.count * pod.cpu_millicores for pod in pods),
        memory_allocatable=memory,
        memory_system=memory - node.memory + node.memory_system,
        memory_asked=sum(pod.count * pod.memory_mib for pod in pods),
    )


def _pools(request: PlanRequest, shape: Shape, untainted: int) -> tuple[Pool, ...]:
    carried = UNTAINTED[shape.arrangement]
    pools = [
        Pool(
            key=key,
            machine_type=shape.main.name,
            node_count=untainted - len(carried) + 1 if key == "main" else 1,
            roles=tuple(dict.fromkeys(ROLE_OF[kind] for kind in kinds)),
            is_spot=False,
            is_tainted=False,
            disk=Disk(type=shape.main.family.disk_types[0], size_gb=request.disk_gb),
        )
        for key, kinds in carried.items()
    ]
    worker_nodes = shape.worker_nodes(request.workers)
    if worker_nodes:
        workers = Pool(
            key="workers",
            machine_type=shape.worker.name,
            node_count=worker_nodes,
            roles=(Role.WORKER,),
            is_spot=request.spot,
            is_tainted=True,
            disk=Disk(type=shape.worker.family.disk_types[0], size_gb=request.disk_gb),
        )
        pools.append(workers)
    return tuple(pools)


def _workers_too_large(request: PlanRequest, shape: Shape, node: NodeRoom) -> Shortfall:
    """Say why the workers of a node don't fit on it."""
    count, machine = shape.workers_per_node, shape.worker
    needs = NEEDS["worker"]
    each = request.worker_cpu_millicores or needs.cpu.floor
    offered = allocatable.cpu_millicores(machine)
    missing = count * each - node.cpu
    if missing > 0:
        is_set = request.worker_cpu_millicores > 0
        asked = f"workerCpuMillicores={each}" if is_set else f"A worker, with at least {each}m of CPU,"
        most = max(0, node.cpu) // count
        for_each = f" for {count} workers" if count > 1 else ""
        fix = f" or set workerCpuMillicores to at most {most}" if is_set and most >= needs.cpu.floor else ""
        return Shortfall(
            missing,
            f"{asked} does not fit on a {machine.name}: of its {1000 * machine.vcpus}m pods may have"
            f" {offered}m, what Kubernetes runs on every node takes {offered - node.cpu}m,"
            f" {node.cpu}m are left: {missing}m too few{for_each}. Choose a larger machineType{fix}.",
        )
    return Shortfall(
        0,
        f"{machine.name} leaves {node.memory} MiB of memory for {count} workers, which need at least"
        f" {needs.memory.floor} MiB each. Choose a machineType with more memory.",
    )
