"""Layouts: the pools of a shape, and what each of its pods gets of its node.

Quotas and prices have no say here; `search` chooses among shapes.
"""

from collections.abc import Sequence

from stacks.capacity import allocatable
from stacks.capacity.machines import MachineType
from stacks.capacity.plan import Disk, Layout, NodeLoad, Pod, PodKind, PodSize, Pool
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import (
    MOST_WORKERS_A_NODE,
    ROLE_OF,
    NodeRoom,
    Shape,
    Shortfall,
    bare_node,
    worker_size,
)
from stacks.capacity.sharing import least, shared
from stacks.capacity.untainted import shortfall, untainted_nodes
from stacks.topology import Role


def lay_out(request: PlanRequest, shape: Shape) -> Layout | Shortfall:
    """Give every pod of a shape its node and its size, or say which don't fit.

    Disks get the type that the machines' family prefers; `disks` may choose another.
    """
    nodes = untainted_nodes(request, shape)
    pools = _pools(request, shape, nodes)
    own = bare_node(request, shape.worker, "workers")
    has_own_nodes = shape.worker_nodes(request.workers) > 0
    size = worker_size(request, own.cpu, own.memory, shape.workers_per_node) if has_own_nodes else None
    missing: list[Shortfall] = []
    if has_own_nodes and size is None:
        missing.append(_workers_too_large(request, shape, own))
    if not all(node.is_enough for node in nodes):
        missing.append(shortfall(request, shape, nodes))
    if missing:
        return Shortfall(
            sum(each.missing_millicores for each in missing),
            tuple(sentence for each in missing for sentence in each.sentences),
            pools,
        )
    pods, loads = _untainted_pods(request, shape, nodes)
    if size is not None:
        pods.append(_worker(size, request.workers, tolerates_taint=True))
        loads.append(_load(shape.worker, own, [_worker(size, shape.workers_per_node)]))
    return Layout(
        pools=pools,
        pods=tuple(pods),
        loads=tuple(loads),
        workers_per_node=shape.workers_per_node,
        runs_disk=runs_disk(request, pools),
    )


def runs_disk(request: PlanRequest, pools: Sequence[Pool]) -> Disk:
    """The volume that keeps the runs, of the same type as the boot disks of the `if` node."""
    interface = next((pool for pool in pools if Role.INTERFACE in pool.roles), pools[0])
    return Disk(type=interface.disk.type, size_gb=request.runs_disk_gb)


def _untainted_pods(
    request: PlanRequest, shape: Shape, nodes: Sequence[NodeRoom]
) -> tuple[list[Pod], list[NodeLoad]]:
    """Our pods on the untainted nodes, and how full each different one of those nodes is."""
    pods: list[Pod] = []
    loads: list[NodeLoad] = []
    for node in nodes:
        if node.kinds:
            here = _pods_on(request, node)
            pods += here
            loads.append(_load(shape.main, node, here))
    others = [node for node in nodes if not node.kinds]
    if others:
        loads.append(_load(shape.main, max(others, key=lambda node: node.cpu_system), []))
    return pods, loads


def _pods_on(request: PlanRequest, node: NodeRoom) -> list[Pod]:
    """Sizes of our pods on an untainted node."""
    services: list[PodKind] = [kind for kind in node.kinds if kind != "worker"]
    floors = [least(request, kind) for kind in services]
    wanted = [request.sizes[kind] for kind in services]
    for_workers = _kept_for_workers(request, node, floors) if "worker" in node.kinds else PodSize(0, 0)
    cpus = shared(
        node.cpu_for_ours - for_workers.cpu_millicores,
        [floor.cpu_millicores for floor in floors],
        [want.cpu_millicores for want in wanted],
    )
    memories = shared(
        node.memory_for_ours - for_workers.memory_mib,
        [floor.memory_mib for floor in floors],
        [want.memory_mib for want in wanted],
    )
    pods = [
        Pod(kind=kind, role=ROLE_OF[kind], count=1, cpu_millicores=cpu, memory_mib=memory)
        for kind, cpu, memory in zip(services, cpus, memories, strict=True)
    ]
    cpu_left, memory_left = node.cpu_for_ours - sum(cpus), node.memory_for_ours - sum(memories)
    size = worker_size(request, cpu_left, memory_left, request.workers)
    if "worker" in node.kinds and size is not None:
        pods.append(_worker(size, request.workers))
    return pods


def _kept_for_workers(request: PlanRequest, node: NodeRoom, floors: Sequence[PodSize]) -> PodSize:
    """What is kept for workers on a node that other pods share with them.

    Workers of a size that is set have room kept for as many as the node could hold: so the other pods' sizes,
    and with them those pods, stay as they are when the number of workers changes.
    """
    one = least(request, "worker")
    count = request.workers
    if request.worker_cpu_millicores:
        cpu = node.cpu_for_ours - sum(floor.cpu_millicores for floor in floors)
        memory = node.memory_for_ours - sum(floor.memory_mib for floor in floors)
        count = min(cpu // one.cpu_millicores, memory // one.memory_mib, MOST_WORKERS_A_NODE)
    return PodSize(count * one.cpu_millicores, count * one.memory_mib)


def _worker(size: PodSize, count: int, *, tolerates_taint: bool = False) -> Pod:
    return Pod(
        kind="worker",
        role=Role.WORKER,
        count=count,
        cpu_millicores=size.cpu_millicores,
        memory_mib=size.memory_mib,
        tolerates_taint=tolerates_taint,
    )


def _load(machine: MachineType, node: NodeRoom, pods: Sequence[Pod]) -> NodeLoad:
    cpu, memory = allocatable.cpu_millicores(machine), allocatable.memory_mib(machine)
    return NodeLoad(
        pool=node.pool,
        cpu_allocatable=cpu,
        cpu_system=cpu - node.cpu_for_ours,
        cpu_asked=sum(pod.count * pod.cpu_millicores for pod in pods),
        memory_allocatable=memory,
        memory_system=memory - node.memory_for_ours,
        memory_asked=sum(pod.count * pod.memory_mib for pod in pods),
    )


def _pools(request: PlanRequest, shape: Shape, untainted: Sequence[NodeRoom]) -> tuple[Pool, ...]:
    keys = [node.pool for node in untainted]
    roles = {
        key: tuple(
            dict.fromkeys(ROLE_OF[kind] for node in untainted if node.pool == key for kind in node.kinds)
        )
        for key in keys
    }
    pools = [_pool(request, key, shape.main, keys.count(key), roles[key]) for key in roles]
    worker_nodes = shape.worker_nodes(request.workers)
    if worker_nodes:
        pools.append(_pool(request, "workers", shape.worker, worker_nodes, (Role.WORKER,)))
    return tuple(pools)


def _pool(request: PlanRequest, key: str, machine: MachineType, nodes: int, roles: tuple[Role, ...]) -> Pool:
    is_for_workers_alone = roles == (Role.WORKER,)
    return Pool(
        key=key,
        machine_type=machine.name,
        node_count=nodes,
        roles=roles,
        is_spot=is_for_workers_alone and request.spot,
        is_tainted=is_for_workers_alone,
        disk=Disk(type=machine.family.disk_types[0], size_gb=request.disk_gb),
    )


def _workers_too_large(request: PlanRequest, shape: Shape, node: NodeRoom) -> Shortfall:
    """Say why the workers of a node don't fit on it."""
    count, machine = shape.workers_per_node, shape.worker
    one = least(request, "worker")
    offered = allocatable.cpu_millicores(machine)
    missing = count * one.cpu_millicores - node.cpu
    for_each = f" for {count} workers" if count > 1 else ""
    sentences: list[str] = []
    if missing > 0:
        is_set = request.worker_cpu_millicores > 0
        asked = (
            f"workerCpuMillicores={one.cpu_millicores}"
            if is_set
            else f"A worker of {one.cpu_millicores}m of CPU"
        )
        most = max(0, node.cpu) // count
        fix = f" or set workerCpuMillicores to at most {most}" if is_set and most > 0 else ""
        sentences.append(
            f"{asked} does not fit on machineType={machine.name}: of its {1000 * machine.vcpus}m pods may"
            f" have {offered}m, what Kubernetes runs on every node takes {offered - node.cpu}m,"
            f" {node.cpu}m are left: {missing}m too few{for_each}. Choose a larger machineType{fix}."
        )
    if count * one.memory_mib > node.memory:
        sentences.append(
            f"workerMemoryMib={one.memory_mib} does not fit on machineType={machine.name}: beside what"
            f" Kubernetes runs on every node {node.memory} MiB are left,"
            f" {count * one.memory_mib - node.memory} MiB too few{for_each}. Choose a machineType with more"
            f" memory or set workerMemoryMib to at most {max(0, node.memory) // count}."
        )
    return Shortfall(max(0, missing), tuple(sentences))
