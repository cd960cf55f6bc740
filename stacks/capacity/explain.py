"""The arithmetic of a quota that isn't kept, as a sentence with a way out."""

from collections.abc import Iterator

from stacks.capacity import demand, quotas
from stacks.capacity.figures import MetricPeak
from stacks.capacity.plan import Layout, TemporaryPool
from stacks.capacity.quotas import Quotas
from stacks.capacity.request import PlanRequest

_DISKS = "lower diskGb or choose a diskType of another quota"
_REPLACE_FIX = "Destroy the stack before the change, or make it in two steps, the shrinking one first."
_FIXES = {
    quotas.VCPU_BUDGET: "raise vcpuBudget if the quota allows it",
    "SSD_TOTAL_GB": _DISKS,
    "HDB_TOTAL_GB": _DISKS,
    "DISKS_TOTAL_GB": "lower diskGb",
    quotas.IN_USE_ADDRESSES: "release an external address that is in use",
    quotas.STATIC_ADDRESSES: "release a reserved address",
    quotas.NETWORKS: "delete an unused VPC network",
    quotas.ROUTERS: "delete an unused Cloud Router",
}


def refusal(
    request: PlanRequest, layout: Layout, temporary: TemporaryPool, known: Quotas, peak: MetricPeak
) -> str:
    """Why a metric's quota isn't kept: the sum, the limit, what others use, what is missing, what helps."""
    phase = next(
        name for name in ("steady", "create", "upgrade", "replace") if getattr(peak, name) == peak.peak
    )
    if phase == "replace":
        needed = f"{peak.peak} needed while the running pools become the planned ones (replace)"
    else:
        parts = " + ".join(_parts(request, layout, temporary, known, peak.metric, phase))
        needed = f"{parts} = {peak.peak} needed ({phase})"
    if peak.limit is None:
        allowed = "its quota isn't known, which counts as none"
    else:
        others = f", {peak.in_use} of them in use by others" if peak.in_use else ""
        allowed = f"{peak.limit} allowed{others}"
    fix = _REPLACE_FIX if phase == "replace" else _fix(request, peak)
    return f"{peak.metric}: {needed}, {allowed}: {peak.peak - peak.available} too many. {fix}"


def _parts(
    request: PlanRequest, layout: Layout, temporary: TemporaryPool, known: Quotas, metric: str, phase: str
) -> Iterator[str]:
    """The summands of a metric in a phase."""
    if phase == "create":
        use = demand.temporary_use(request, temporary, known).get(metric, 0)
        yield f"temporary pool {use}"
        return
    surge = 0
    for pool in layout.pools:
        use = demand.pool_use(request, pool, known).get(metric, 0)
        if use:
            yield f"{pool.key} {pool.node_count} x {use // pool.node_count}"
            surge = max(surge, request.max_surge * use // pool.node_count)
    around = demand.around_use(request, layout).get(metric, 0)
    if around:
        yield f"{'runs' if metric.endswith('_GB') else 'network'} {around}"
    if phase == "upgrade" and surge:
        yield f"surge {surge}"


def _fix(request: PlanRequest, peak: MetricPeak) -> str:
    if peak.limit is None:
        return f"Let preview read the quota, or give it as `--quota {peak.metric}=LIMIT`."
    if peak.metric == quotas.IN_USE_ADDRESSES and not request.private_nodes:
        return "Set privateNodes to true: then the nodes need no addresses."
    fix = _FIXES.get(peak.metric, "lower workers or ask Google for more, which a free trial can't get")
    return f"{fix[0].upper()}{fix[1:]}."
