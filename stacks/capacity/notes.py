"""What a person should know of a plan that fits: one sentence a point."""

from collections.abc import Iterator

from stacks.capacity import prices
from stacks.capacity.plan import Layout, Plan
from stacks.capacity.quotas import Quotas
from stacks.capacity.request import PlanRequest
from stacks.topology import Role

_SMALL_STANDARD_DISK_GB = 50
_LEAST_EFFICIENCY = 0.25


def warnings(request: PlanRequest, plan: Plan, quotas: Quotas) -> Iterator[str]:
    """Every warning about a plan."""
    if plan.workers < plan.workers_asked:
        yield f"workers={plan.workers_asked} does not fit; fit=true takes the most that do, {plan.workers}."
    yield from about_quotas(quotas)
    yield from _about_pools(request, plan)
    yield from _about_speed(plan)
    if not prices.is_known(request.region):
        yield f"Prices of {request.region} aren't known; those of us-central1 stand in."
    if request.spot:
        yield "Spot machines can be taken away at any time with 30 s notice, and their prices float."


def about_quotas(quotas: Quotas) -> Iterator[str]:
    """Where the quotas come from, if not from the project."""
    if not quotas.is_live:
        yield f"The project's own quotas were not read; in their place: {quotas.source}."


def about_other_machines(layout: Layout, step_time: float, dollars_per_hour: float) -> str:
    """That a stack keeps its machines although others would be chosen now.

    Args:
        layout: What would be chosen.
        step_time: Its time of a step, as a part of the present one.
        dollars_per_hour: What it costs more an hour; negative where it costs less.
    """
    pools = " and ".join(f"{pool.node_count} x {pool.machine_type}" for pool in layout.pools)
    price = f"${abs(dollars_per_hour):.2f} an hour {'more' if dollars_per_hour > 0 else 'less'}"
    return (
        f"The running machines are kept. Planned afresh it would be {pools}: {1 / step_time:.1f} times as"
        f" fast, {price}. Destroy the stack and run `up` again to have that."
    )


def _about_pools(request: PlanRequest, plan: Plan) -> Iterator[str]:
    layout = plan.layout
    if layout.node_count == 1:
        yield (
            "One node carries every role: its upgrade or repair interrupts training."
            " nodeSharing=services gives each worker a node of its own where the quotas allow it."
        )
    if request.offered is None:
        types = " and ".join(dict.fromkeys(pool.machine_type for pool in layout.pools))
        yield f"It was not checked that {request.zone} offers {types}."
    slow = [
        pool.key
        for pool in layout.pools
        if pool.disk.type == "pd-standard" and pool.disk.size_gb < _SMALL_STANDARD_DISK_GB
    ]
    if slow:
        yield (
            f"pd-standard disks of {request.disk_gb} GB are slow ({', '.join(slow)}), about 4 MB/s: nodes"
            " take minutes to pull the images the first time."
        )
    smaller = [
        f"{pod.kind} gets {pod.cpu_millicores}m and {pod.memory_mib} MiB"
        for pod in layout.pods
        if pod.kind != "worker" and pod.size != request.sizes[pod.kind]
    ]
    if smaller:
        yield f"Less than the settings want, since the nodes have no more: {', '.join(smaller)}."
    names = {pool.key: pool.name for pool in request.running}
    for pool in layout.pools:
        if names.get(pool.key, pool.name) != pool.name:
            yield f"Pool {names[pool.key]} is replaced by {pool.name}: what runs there stops meanwhile."


def _about_speed(plan: Plan) -> Iterator[str]:
    efficiency = plan.prediction.speedup / plan.workers
    worker = plan.layout.pod("worker")
    if plan.workers > 1 and efficiency < _LEAST_EFFICIENCY:
        yield (
            f"{plan.workers} workers with {worker.cpu_millicores}m each on"
            f" {plan.layout.pool(Role.WORKER).machine_type} are predicted to train"
            f" {plan.prediction.speedup:.1f} times as fast as one of them: fewer would do as well."
        )
