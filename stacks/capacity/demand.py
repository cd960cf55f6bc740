"""How much of each quota a stack uses at its most, from its first node to the change of its pools.

Four phases. *Create*: the cluster is made with a temporary pool, which is gone before ours are made.
*Steady*. *Upgrade*: surge nodes come on top of the pool that is being upgraded. *Replace*: running pools
become the planned ones; pools are handled one after the other in their order, a pool of another machine type
is deleted before it is created, and pools that are no longer wanted go last.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from stacks.capacity import quotas as metrics
from stacks.capacity.figures import MetricPeak
from stacks.capacity.machines import DISK_METRICS, MACHINE_TYPES, Family
from stacks.capacity.plan import Disk, Layout, Pool, TemporaryPool
from stacks.capacity.quotas import Quota, Quotas
from stacks.capacity.request import PlanRequest
from stacks.topology import Role

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
    """The most that a layout uses of every metric, phase by phase, against what others leave of it."""
    pools = {pool.key: pool_use(request, pool, quotas) for pool in layout.pools}
    around = around_use(request, layout)
    steady = sum(pools.values(), around)
    surge = _most(
        _times(pool_use(request, dataclasses.replace(pool, node_count=1), quotas), request.max_surge)
        for pool in layout.pools
    )
    create = temporary_use(request, temporary, quotas) + network_use(request, temporary.node_count)
    replace = _most((steady, *_replacing(request, layout, pools, around, quotas)))
    others = quotas.without(own_use(request, quotas))
    return tuple(
        _peak(request, others, metric, (create, steady, steady + surge, replace))
        for metric in sorted(create | steady, key=_rank)
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
    around = network_use(request, sum(pool.node_count for pool in request.running))
    around += _disk_use(Disk(type=_interface_disk(request.running).type, size_gb=request.runs_disk_gb))
    return sum((pool_use(request, pool, quotas) for pool in request.running), around)


def pool_use(request: PlanRequest, pool: Pool, quotas: Quotas) -> Counter[str]:
    """What a pool's nodes use."""
    machine = MACHINE_TYPES[pool.machine_type]
    use = Counter({metric: pool.node_count * machine.vcpus for metric in _cpu_metrics(request, pool, quotas)})
    use[metrics.INSTANCES] = pool.node_count
    use[DISK_METRICS[pool.disk.type]] = pool.node_count * pool.disk.size_gb
    if not request.private_nodes:
        use[metrics.IN_USE_ADDRESSES] = pool.node_count
    return use


def network_use(request: PlanRequest, nodes: int) -> Counter[str]:
    """What the network around `nodes` nodes uses."""
    use = Counter({metrics.NETWORKS: 1})
    if request.private_nodes:
        # Each of Cloud NAT's own addresses is a reserved one that is in use.
        addresses = math.ceil(nodes / _NODES_A_NAT_ADDRESS)
        use += Counter(
            {metrics.ROUTERS: 1, metrics.IN_USE_ADDRESSES: addresses, metrics.STATIC_ADDRESSES: addresses}
        )
    return use


def around_use(request: PlanRequest, layout: Layout) -> Counter[str]:
    """What a layout uses beside its nodes: the network and the volume that keeps the runs."""
    return network_use(request, layout.node_count) + _disk_use(layout.runs_disk)


def temporary_use(request: PlanRequest, temporary: TemporaryPool, quotas: Quotas) -> Counter[str]:
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


def _cpu_metrics(request: PlanRequest, pool: Pool, quotas: Quotas) -> Iterator[str]:
    if request.vcpu_budget:
        yield metrics.VCPU_BUDGET
    yield metrics.CPUS_ALL_REGIONS
    yield from regional_cpu_metrics(MACHINE_TYPES[pool.machine_type].family, quotas, is_spot=pool.is_spot)


def _replacing(
    request: PlanRequest,
    layout: Layout,
    planned: Mapping[str, Counter[str]],
    around: Counter[str],
    quotas: Quotas,
) -> Iterable[Counter[str]]:
    """Use at each step from the running pools to the planned ones."""
    now = {pool.key: pool_use(request, pool, quotas) for pool in request.running}
    names = {pool.key: (pool.name, pool.is_spot) for pool in request.running}
    for pool in layout.pools:
        target = planned[pool.key]
        is_same_pool = names.get(pool.key) == (pool.name, pool.is_spot)
        now[pool.key] = _most((now[pool.key], target)) if is_same_pool else target
        yield sum(now.values(), around)
        now[pool.key] = target


def _peak(request: PlanRequest, others: Quotas, metric: str, phases: tuple[Use, Use, Use, Use]) -> MetricPeak:
    is_budget = metric == metrics.VCPU_BUDGET
    quota = Quota(request.vcpu_budget) if is_budget else others.get(metric)
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


def _interface_disk(pools: tuple[Pool, ...]) -> Disk:
    return next((pool.disk for pool in pools if Role.INTERFACE in pool.roles), pools[0].disk)


def _disk_use(disk: Disk) -> Counter[str]:
    return Counter({DISK_METRICS[disk.type]: disk.size_gb})


def _times(use: Counter[str], factor: int) -> Counter[str]:
    return Counter({metric: amount * factor for metric, amount in use.items()})


def _most(uses: Iterable[Use]) -> Counter[str]:
    """The most of each metric in any of the uses."""
    most: Counter[str] = Counter()
    for use in uses:
        most |= Counter(use)
    return most


def _rank(metric: str) -> tuple[int, str]:
    """Families' own metrics come right after `CPUS`."""
    position = _ORDER.index(metric) if metric in _ORDER else _ORDER.index(metrics.CPUS)
    return position, "" if metric in _ORDER else metric
