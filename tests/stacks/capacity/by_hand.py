"""A second, naive reckoning of what pools use of the quotas, to check the plan against.

Shares nothing with `stacks.capacity.demand` but the machine table.
"""

from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Layout, Pool, TemporaryPool
from stacks.capacity.quotas import Quotas
from stacks.capacity.request import PlanRequest

DISK_METRIC = {"pd-standard": "DISKS_TOTAL_GB", "pd-balanced": "SSD_TOTAL_GB", "pd-ssd": "SSD_TOTAL_GB"}


def use_of_pools(request: PlanRequest, pools: list[Pool] | tuple[Pool, ...], known: Quotas) -> dict[str, int]:
    """Use of every metric by the nodes of some pools."""
    use: dict[str, int] = {}

    def add(metric: str, amount: int) -> None:
        use[metric] = use.get(metric, 0) + amount

    for pool in pools:
        for _ in range(pool.node_count):
            machine = MACHINE_TYPES[pool.machine_type]
            add("CPUS_ALL_REGIONS", machine.vcpus)
            add("vcpuBudget", machine.vcpus)
            spot = known.by_metric.get("PREEMPTIBLE_CPUS")
            if pool.is_spot and spot is not None and spot.limit > 0:
                add("PREEMPTIBLE_CPUS", machine.vcpus)
            elif machine.family.name in ("e2", "n1"):
                add("CPUS", machine.vcpus)
                if machine.family.name == "e2" and "E2_CPUS" in known.by_metric:
                    add("E2_CPUS", machine.vcpus)
            else:
                add(f"{machine.family.name.upper()}_CPUS", machine.vcpus)
            add("INSTANCES", 1)
            add(DISK_METRIC[pool.disk.type], pool.disk.size_gb)
            if not request.private_nodes:
                add("IN_USE_ADDRESSES", 1)
    return use


def use_around(request: PlanRequest, nodes: int, runs_disk_type: str | None) -> dict[str, int]:
    """Use of the network, and of the volume that keeps the runs where there is one."""
    use = {"NETWORKS": 1}
    if request.private_nodes:
        addresses = -(-nodes // 1008)
        use |= {"ROUTERS": 1, "IN_USE_ADDRESSES": addresses, "STATIC_ADDRESSES": addresses}
    if runs_disk_type is not None:
        use[DISK_METRIC[runs_disk_type]] = request.runs_disk_gb
    return use


def sum_of(*uses: dict[str, int]) -> dict[str, int]:
    """Sum of uses, metric by metric."""
    total: dict[str, int] = {}
    for use in uses:
        for metric, amount in use.items():
            total[metric] = total.get(metric, 0) + amount
    return total


def moments(
    request: PlanRequest, layout: Layout, temporary: TemporaryPool, known: Quotas
) -> list[dict[str, int]]:
    """Use at each moment of an `up` and of the upgrades after it."""
    temporary_pool = Pool(
        key="t",
        machine_type=temporary.machine_type,
        node_count=temporary.node_count,
        roles=(),
        is_spot=False,
        is_tainted=False,
        disk=temporary.disk,
    )
    runs = layout.runs_disk.type
    all_moments = [sum_of(use_of_pools(request, [temporary_pool], known), use_around(request, 1, None))]
    now = {pool.key: pool for pool in request.running}
    for pool in layout.pools:
        now[pool.key] = pool
        pools = list(now.values())
        around = use_around(request, layout.node_count, runs)
        all_moments.append(sum_of(use_of_pools(request, pools, known), around))
    steady = sum_of(use_of_pools(request, layout.pools, known), use_around(request, layout.node_count, runs))
    for pool in layout.pools:
        one = Pool(**{**vars(pool), "node_count": request.max_surge})
        all_moments.append(sum_of(steady, use_of_pools(request, [one], known)))
    return [steady, *all_moments]


def broken(request: PlanRequest, use: dict[str, int], known: Quotas, own: dict[str, int]) -> set[str]:
    """Metrics whose quota a use breaks, others' use counted and the stack's own taken out."""
    found: set[str] = set()
    for metric, amount in use.items():
        if metric == "vcpuBudget":
            available = request.vcpu_budget or 10**9
        else:
            quota = known.by_metric.get(metric)
            others = 0 if quota is None else max(0, quota.in_use - own.get(metric, 0))
            available = 0 if quota is None else max(0, quota.limit - others)
        if amount > available:
            found.add(metric)
    return found
