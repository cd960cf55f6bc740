"""The search against an exhaustive one that tries everything and reckons by hand."""

import dataclasses
import functools
import itertools
import random

import pytest

from stacks.capacity.disks import temporary_pools
from stacks.capacity.layouts import lay_out
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Disk, Layout, Plan
from stacks.capacity.planner import decide
from stacks.capacity.prices import cost
from stacks.capacity.quotas import Quota, Quotas
from stacks.capacity.request import NodeSharing, PlanRequest
from stacks.capacity.search import TIE
from stacks.capacity.shapes import Arrangement, Shape
from stacks.capacity.speed import COST_MODEL, predict
from tests.stacks.capacity import by_hand
from tests.stacks.capacity.asked import ROOMY, ask, planned

OFFERED = frozenset(
    {"e2-standard-2", "e2-highcpu-4", "e2-standard-8", "n1-standard-1", "n1-standard-2", "n2-standard-2"}
)
MOST_WORKERS = 7


@dataclasses.dataclass(frozen=True)
class Possibility:
    """One thing that could be built, and all that it uses at its most."""

    peak: tuple[tuple[str, int], ...]
    seconds: float
    is_squeezed: bool
    dollars: float


def possibilities(request: PlanRequest) -> list[Possibility]:
    """Everything that could be built for a request, the cheapest of those that are otherwise the same."""
    cheapest: dict[tuple[tuple[tuple[str, int], ...], float, bool], float] = {}
    for layout in every_layout(request):
        is_squeezed = any(pod.size != request.sizes[pod.kind] for pod in layout.pods if pod.kind != "worker")
        for temporary in temporary_pools(layout):
            peak: dict[str, int] = {}
            for use in by_hand.moments(request, layout, temporary, ROOMY):
                peak = {metric: max(peak.get(metric, 0), use.get(metric, 0)) for metric in peak | use}
            seconds = predict(request, layout, COST_MODEL).seconds_per_step
            dollars = cost(request, layout, 0).dollars_per_hour
            key = (tuple(sorted(peak.items())), seconds, is_squeezed)
            cheapest[key] = min(dollars, cheapest.get(key, dollars))
    return [Possibility(*key, dollars) for key, dollars in cheapest.items()]


def every_layout(request: PlanRequest) -> list[Layout]:
    """Every arrangement, machine type for either kind of node, number of workers a node and disk type."""
    machines = [MACHINE_TYPES[name] for name in sorted(OFFERED)]
    found: list[Layout] = []
    for worker in machines:
        shapes = [Shape(Arrangement.TOGETHER, worker, worker, request.workers)]
        shapes += [
            Shape(Arrangement.APART, main, worker, count)
            for main in machines
            for count in range(1, request.workers + 1)
        ]
        layouts = [lay_out(request, shape) for shape in shapes]
        for layout in layouts:
            if isinstance(layout, Layout):
                found += [with_disk(layout, "pd-standard"), with_disk(layout, "pd-balanced")]
    return found


def with_disk(layout: Layout, disk_type: str) -> Layout:
    pools = tuple(
        dataclasses.replace(pool, disk=Disk(type=disk_type, size_gb=pool.disk.size_gb))
        for pool in layout.pools
    )
    runs_disk = Disk(type=disk_type, size_gb=layout.runs_disk.size_gb)
    return dataclasses.replace(layout, pools=pools, runs_disk=runs_disk)


@functools.cache
def of_workers(workers: int) -> list[Possibility]:
    return possibilities(asked(workers))


def asked(workers: int) -> PlanRequest:
    return ask(
        workers=workers, worker_cpu=0, vcpu_budget=0, fit=True, offered=OFFERED, node_sharing=NodeSharing.ANY
    )


def fitting(workers: int, known: Quotas) -> list[Possibility]:
    left = {metric: quota.available for metric, quota in known.by_metric.items()}
    return [
        possibility
        for possibility in of_workers(workers)
        if all(amount <= left[metric] for metric, amount in possibility.peak if metric != "vcpuBudget")
    ]


def random_quotas(chance: random.Random) -> Quotas:
    """Quotas near the sizes that matter; some metrics roomy, some used by others."""

    def quota(*limits: int) -> Quota:
        limit = chance.choice(limits)
        return Quota(limit, chance.choice((0, 0, 0, min(limit, 2))))

    by_metric = dict(ROOMY.by_metric)
    by_metric |= {
        "CPUS": quota(*range(14)),
        "E2_CPUS": quota(0, 2, 4, 8, 24),
        "N2_CPUS": quota(0, 0, 2, 4, 8),
        "CPUS_ALL_REGIONS": quota(*range(14), 32),
        "SSD_TOTAL_GB": quota(0, 40, 70, 100, 130, 250, 500),
        "DISKS_TOTAL_GB": quota(0, 20, 40, 100, 2048),
        "INSTANCES": quota(*range(9), 24),
        "IN_USE_ADDRESSES": quota(0, 1, 4, 4, 4),
    }
    return Quotas(by_metric, source="random", is_live=True)


@pytest.mark.parametrize("seed", range(10))
def test_fit_agrees_with_an_exhaustive_search_on_a_hundred_random_quota_sets(seed):
    chance = random.Random(seed)
    numbers: set[int] = set()
    for _ in range(100):
        known = random_quotas(chance)
        workers = chance.randint(1, MOST_WORKERS)
        largest = next((count for count in range(workers, 0, -1) if fitting(count, known)), 0)
        answer = decide(asked(workers), known)
        found = answer.workers if isinstance(answer, Plan) else 0
        assert found == largest, known
        numbers.add(largest)
        if isinstance(answer, Plan):
            assert_best(answer, asked(largest), fitting(largest, known))
    assert len(numbers) > 3, "the quota sets are worth nothing if all have the same answer"


def assert_best(plan: Plan, request: PlanRequest, possible: list[Possibility]) -> None:
    """The plan is as fast as the fastest, give or take a tie, and the best of those in sizes and price."""
    fastest = min(possibility.seconds for possibility in possible)
    as_fast = [possibility for possibility in possible if possibility.seconds <= fastest / (1 - TIE) + 1e-12]
    assert plan.prediction.seconds_per_step <= fastest / (1 - TIE) + 1e-12
    pods = plan.layout.pods
    is_squeezed = any(pod.size != request.sizes[pod.kind] for pod in pods if pod.kind != "worker")
    best_squeezed, cheapest = min((possibility.is_squeezed, possibility.dollars) for possibility in as_fast)
    # Of two disk types the preferred one that fits is taken, although the other costs a little less.
    gb = sum(pool.disk.size_gb * pool.node_count for pool in plan.layout.pools) + 10
    assert is_squeezed == best_squeezed
    assert plan.cost.dollars_per_hour <= cheapest + 0.06 * gb / 730 + 1e-9


def test_of_two_layouts_that_are_as_fast_the_cheaper_one_is_taken():
    both = frozenset({"e2-standard-8", "n1-standard-8"})
    assert MACHINE_TYPES["e2-standard-8"].coremark == MACHINE_TYPES["n1-standard-8"].coremark
    plan = planned(ask(offered=both))
    assert plan.layout.pools[0].machine_type == "e2-standard-8"


def test_a_larger_quota_never_makes_training_slower():
    seconds = [
        planned(ask(vcpu_budget=budget, worker_cpu=0), ROOMY).prediction.seconds_per_step
        for budget in (8, 16, 24, 32, 64)
    ]
    assert all(later <= earlier / (1 - TIE) for earlier, later in itertools.pairwise(seconds))
    assert seconds[-1] < seconds[0]
