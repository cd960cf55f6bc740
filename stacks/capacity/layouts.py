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
    node = bare_node(request, shape.worker, "workers")
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
        loads.append(_load(shape.worker, node, [_worker(share, shape.workers_per_node)]))
    return Layout(
        pools=_pools(request, shape, nodes),
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
    ours, others = [node for node in nodes if node.kinds], [node for node in nodes if not node.kinds]
    for node in ours:
        here = _pods_on(request, node, is_alone=not others)
        pods += here
        loads.append(_load(shape.main, node, here))
    if others:
        loads.append(_load(shape.main, max(others, key=lambda node: node.cpu_system), []))
    return pods, loads


def _pods_on(request: PlanRequest, node: NodeRoom, *, is_alone: bool) -> list[Pod]:
    """Sizes of our pods on an untainted node; workers, where there are any, get what the others leave."""
    services: list[PodKind] = [kind for kind in node.kinds if kind != "worker"]
    has_workers = "worker" in node.kinds
    for_workers = NodeRoom(node.pool, 0, 0)
    if has_workers:
        for_workers.keep(request, "worker")
    is_generous = is_alone and not has_workers
    cpu, memory = node.cpu_for_ours, node.memory_for_ours
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
