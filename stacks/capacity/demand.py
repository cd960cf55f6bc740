"""How much of each quota a stack uses at its most, from its first node to the change of its pools.

Four phases. *Create*: the cluster is made with a temporary pool, which is gone before ours are. *Steady*.
*Upgrade*: surge nodes come on top of the pool that is being upgraded. *Replace*: running pools become the
planned ones; pools are handled one after the other in their order, a pool of another machine type is deleted
before it is created, and pools that are no longer wanted go last.
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping

from stacks.capacity import quotas as metrics
from stacks.capacity.figures import MetricPeak
from stacks.capacity.layouts import runs_disk
from stacks.capacity.machines import DISK_METRICS, MACHINE_TYPES, Family
from stacks.capacity.plan import Disk, Layout, Pool, TemporaryPool
from stacks.capacity.quotas import Quota, Quotas
from stacks.capacity.request import PlanRequest

Use = Mapping[str, int]
"""Amount used of each metric."""

_NODES_A_NAT_ADDRESS = 1008
"""Cloud NAT keeps 64 of an address's 64512 ports for each node."""

_ORDER = (
    metrics.VCPU_BUDGET,
    metrics.CPUS,
    metrics.CPUS_ALL_REGIONS,
    metrics.PREEMPTIBLE_CPUS,
    metrics.INSTANCES,
    *dict.fromkeys(DISK_METRICS.values()),
    metrics.IN_USE_ADDRESSES,
    metrics.STATIC_ADDRESSES,
    metrics.NETWORKS,
    metrics.ROUTERS,
)


def peaks(
    request: PlanRequest, layout: Layout, temporary: TemporaryPool, quotas: Quotas
) -> tuple[MetricPeak, ...]:
    """The most that a layout uses of every metric, phase by phase, against what others leave of it.

    Args:
        request: What is planned for, the running pools included.
        layout: What is planned.
        temporary: The pool while the cluster is created.
        quotas: Limits and use, the stack's own use taken out.
    """
    around = around_use(request, layout)
    pools = {pool.key: pool_use(request, pool, quotas) for pool in layout.pools}
    steady = _sum(around, *pools.values())
    create = _sum(temporary_use(request, temporary, quotas), network_use(request, temporary.node_count))
    upgrade = _sum(steady, _most(_surge(request, layout, pools)))
    replace = _most((steady, *_replacing(request, layout, pools, around, quotas)))
    phases = (create, steady, upgrade, replace)
    return tuple(
        _peak(request, quotas, metric, phases) for metric in sorted(create.keys() | replace.keys(), key=_rank)
    )


def in_safe_order(request: PlanRequest, layout: Layout) -> Layout:
    """The layout with its pools in the order in which they are best handled: those that shrink come first."""
    before = {pool.key: _vcpus(pool) for pool in request.running}
    if not before:
        return layout
    pools = sorted(layout.pools, key=lambda pool: _vcpus(pool) - before.get(pool.key, 0))
    return dataclasses.replace(layout, pools=tuple(pools))


def own_use(request: PlanRequest, quotas: Quotas) -> Use:
    """What the stack's running pools use now, with the network around them; nothing before the first `up`."""
    if not request.running:
        return {}
    return _sum(
        network_use(request, sum(pool.node_count for pool in request.running)),
        _disk_use(runs_disk(request, request.running)),
        *(pool_use(request, pool, quotas) for pool in request.running),
    )


def pool_use(request: PlanRequest, pool: Pool, quotas: Quotas) -> dict[str, int]:
    """What a pool's nodes use."""
    nodes = pool.node_count
    vcpus = _vcpus(pool)
    use = {metrics.CPUS_ALL_REGIONS: vcpus, metrics.INSTANCES: nodes}
    use[DISK_METRICS[pool.disk.type]] = nodes * pool.disk.size_gb
    family = MACHINE_TYPES[pool.machine_type].family
    use |= dict.fromkeys(regional_cpu_metrics(family, quotas, is_spot=pool.is_spot), vcpus)
    if request.vcpu_budget:
        use[metrics.VCPU_BUDGET] = vcpus
    if not request.private_nodes:
        use[metrics.IN_USE_ADDRESSES] = nodes
    return use


def network_use(request: PlanRequest, nodes: int) -> dict[str, int]:
    """What the network around `nodes` nodes uses."""
    use = {metrics.NETWORKS: 1}
    if request.private_nodes:
        # Each of Cloud NAT's own addresses is a reserved one that is in use.
        addresses = math.ceil(nodes / _NODES_A_NAT_ADDRESS)
        use |= {metrics.ROUTERS: 1, metrics.IN_USE_ADDRESSES: addresses, metrics.STATIC_ADDRESSES: addresses}
    return use


def around_use(request: PlanRequest, layout: Layout) -> dict[str, int]:
    """What a layout uses beside its nodes: the network and the volume that keeps the runs."""
    return _sum(network_use(request, layout.node_count), _disk_use(layout.runs_disk))


def temporary_use(request: PlanRequest, temporary: TemporaryPool, quotas: Quotas) -> dict[str, int]:
    """What the pool uses that exists while the cluster is created."""
    pool = Pool(
        key="temporary",
        machine_type=temporary.machine_type,
        node_count=temporary.node_count,
        roles=(),
        is_spot=False,
        is_tainted=False,
        disk=temporary.disk,
    )
    return pool_use(request, pool, quotas)


def regional_cpu_metrics(family: Family, quotas: Quotas, *, is_spot: bool) -> tuple[str, ...]:
    """Metrics of the region that a machine's vCPU count in; Spot has its own once that quota was granted."""
    spot_quota = quotas.get(metrics.PREEMPTIBLE_CPUS)
    if is_spot and spot_quota is not None and spot_quota.limit > 0:
        return (metrics.PREEMPTIBLE_CPUS,)
    return tuple(metric for metric in family.cpu_metrics if quotas.limits(metric))


def _surge(request: PlanRequest, layout: Layout, pools: Mapping[str, Use]) -> Iterator[Use]:
    """Use of the nodes that each pool's upgrade adds."""
    if request.max_surge:
        for pool in layout.pools:
            yield {
                metric: amount // pool.node_count * request.max_surge
                for metric, amount in pools[pool.key].items()
            }


def _replacing(
    request: PlanRequest, layout: Layout, planned: Mapping[str, Use], around: Use, quotas: Quotas
) -> Iterator[Use]:
    """Use at each step from the running pools to the planned ones."""
    now: dict[str, Use] = {pool.key: pool_use(request, pool, quotas) for pool in request.running}
    running = {pool.key: (pool.name, pool.is_spot) for pool in request.running}
    for pool in layout.pools if running else ():
        target = planned[pool.key]
        is_same_pool = running.get(pool.key) == (pool.name, pool.is_spot)
        step = _most((now[pool.key], target)) if is_same_pool else target
        yield _sum(around, *(now | {pool.key: step}).values())
        now[pool.key] = target


def _peak(request: PlanRequest, quotas: Quotas, metric: str, phases: tuple[Use, Use, Use, Use]) -> MetricPeak:
    quota = Quota(request.vcpu_budget) if metric == metrics.VCPU_BUDGET else quotas.get(metric)
    create, steady, upgrade, replace = (phase.get(metric, 0) for phase in phases)
    return MetricPeak(
        metric=metric,
        create=create,
        steady=steady,
        upgrade=upgrade,
        replace=replace,
        limit=None if quota is None else quota.limit,
        in_use=0 if quota is None else quota.in_use,
    )


def _vcpus(pool: Pool) -> int:
    return pool.node_count * MACHINE_TYPES[pool.machine_type].vcpus


def _disk_use(disk: Disk) -> dict[str, int]:
    return {DISK_METRICS[disk.type]: disk.size_gb}


def _sum(*uses: Use) -> dict[str, int]:
    total: dict[str, int] = {}
    for use in uses:
        for metric, amount in use.items():
            total[metric] = total.get(metric, 0) + amount
    return total


def _most(uses: Iterable[Use]) -> dict[str, int]:
    """The most of each metric in any of the uses."""
    most: dict[str, int] = {}
    for use in uses:
        for metric, amount in use.items():
            most[metric] = max(amount, most.get(metric, 0))
    return most


def _rank(metric: str) -> tuple[int, str]:
    """Families' own metrics come right after `CPUS`."""
    position = _ORDER.index(metric) if metric in _ORDER else _ORDER.index(metrics.CPUS)
    return position, "" if metric in _ORDER else metric
