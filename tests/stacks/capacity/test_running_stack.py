"""Changes of a stack that runs already: its own use, the way from here to there, and what stays."""

import dataclasses

from hypothesis import given, settings
from hypothesis import strategies as st

from stacks.capacity.plan import Plan
from stacks.capacity.planner import decide
from stacks.capacity.quotas import Quota, Quotas
from stacks.capacity.request import NodeSharing, PlanRequest
from tests.stacks.capacity import by_hand
from tests.stacks.capacity.asked import ask, metrics_named, planned, quotas, refused


def test_a_change_whose_steps_exceed_the_quota_is_refused_with_the_way_round():
    apart = planned(ask(machine_type="e2-standard-2", workers=6, worker_cpu=0)).layout
    known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))
    refusal = refused(ask(machine_type="e2-standard-8", running=apart.pools), known)
    assert metrics_named(refusal) == ["vcpuBudget", "CPUS", "E2_CPUS", "CPUS_ALL_REGIONS"]
    assert (
        "14 needed while the running pools become the planned ones (replace), 8 allowed"
        in (refusal.problems[1])
    )
    assert "in two steps" in refusal.problems[1]


def test_auto_keeps_to_layouts_that_can_be_reached():
    apart = planned(ask(machine_type="e2-standard-2", workers=6, worker_cpu=0)).layout
    known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))
    assert len(planned(ask(running=apart.pools, worker_cpu=0), known).layout.pools) == 2


def test_the_stacks_own_use_is_not_counted_against_it():
    plan = planned(ask())
    known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8), SSD_TOTAL_GB=(250, 40))
    again = planned(ask(running=plan.layout.pools), known)
    assert again.layout == plan.layout
    assert all(peak.in_use == 0 for peak in again.peaks)


def test_what_shrinks_is_handled_first():
    running = planned(ask(machine_type="e2-standard-2", workers=6, worker_cpu=0)).layout.pools
    known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))
    request = ask(machine_type="e2-standard-4", running=running, node_sharing=NodeSharing.SERVICES, workers=1)
    assert [pool.key for pool in planned(request, known).layout.pools] == ["workers", "main"]


FULL = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))


def test_another_number_of_workers_leaves_every_running_pod_as_it_is():
    running = planned(ask(workers=6)).layout
    for workers in (1, 3, 5):
        fewer = planned(ask(workers=workers, running=running.pools), FULL).layout
        assert fewer.pools == running.pools
        for pod in fewer.pods:
            assert dataclasses.replace(pod, count=1) == dataclasses.replace(running.pod(pod.kind), count=1)


def test_workers_on_nodes_of_their_own_come_and_go_with_their_nodes_alone():
    known = quotas(CPUS=64, E2_CPUS=64, CPUS_ALL_REGIONS=64, SSD_TOTAL_GB=1000)
    running = planned(ask("gke", workers=4), known).layout
    more = planned(ask("gke", workers=7, running=running.pools), known).layout
    assert [pool.name for pool in more.pools] == [pool.name for pool in running.pools]
    assert [pool.node_count for pool in more.pools] == [1, 7]
    for pod in more.pods:
        assert dataclasses.replace(pod, count=1) == dataclasses.replace(running.pod(pod.kind), count=1)


def test_faster_machines_that_a_quota_read_later_allows_are_mentioned_but_not_taken():
    running = planned(ask()).layout
    read = dataclasses.replace(FULL, by_metric={**FULL.by_metric, "N2_CPUS": Quota(8)})
    plan = planned(ask(running=running.pools), read)
    assert plan.layout == running
    (warning,) = [text for text in plan.warnings if text.startswith("The running machines are kept.")]
    assert "Planned afresh it would be 1 x n2-standard-8: 1.3 times as fast" in warning
    named = planned(ask(running=running.pools, machine_type="n2-standard-8"), read)
    assert [pool.machine_type for pool in named.layout.pools] == ["n2-standard-8"]


def test_machines_that_hold_no_more_workers_are_replaced():
    running = planned(ask(workers=6)).layout
    roomy = quotas(CPUS=64, E2_CPUS=64, CPUS_ALL_REGIONS=64)
    plan = planned(ask(workers=12, vcpu_budget=0, running=running.pools), roomy)
    assert {pool.name for pool in plan.layout.pools} != {pool.name for pool in running.pools}
    assert any("Pool main-e2-standard-8 is replaced by" in text for text in plan.warnings)


def test_cheaper_machines_are_mentioned_but_not_taken_while_others_run():
    running = planned(ask(workers=6)).layout
    plan = planned(ask(workers=1, running=running.pools), FULL)
    assert plan.layout.pools == running.pools
    (warning,) = [text for text in plan.warnings if text.startswith("The running machines are kept.")]
    assert "an hour less. Destroy the stack and run `up` again" in warning
    assert planned(ask(workers=1)).cost.dollars_per_hour < plan.cost.dollars_per_hour


REQUESTS = st.builds(
    lambda **fields: ask(**fields),
    workers=st.integers(1, 9),
    worker_cpu=st.sampled_from([0, 0, 300, 1000]),
    machine_type=st.sampled_from(
        ["auto", "n1-standard-1", "e2-standard-2", "n1-standard-4", "e2-standard-8"]
    ),
    node_sharing=st.sampled_from(NodeSharing),
    disk_gb=st.sampled_from([30, 60, 100]),
    disk_type=st.sampled_from(["auto", "pd-standard", "pd-balanced"]),
    spot=st.booleans(),
    max_surge=st.integers(0, 1),
    private_nodes=st.booleans(),
    cloud_logging=st.booleans(),
    vcpu_budget=st.sampled_from([0, 8, 16]),
    fit=st.booleans(),
)
LIMITS = st.fixed_dictionaries(
    {
        "CPUS": st.integers(0, 24),
        "CPUS_ALL_REGIONS": st.integers(0, 24),
        "SSD_TOTAL_GB": st.integers(0, 500),
        "DISKS_TOTAL_GB": st.integers(0, 1000),
        "IN_USE_ADDRESSES": st.integers(0, 10),
        "INSTANCES": st.integers(0, 12),
    }
)


@settings(max_examples=60, deadline=None)
@given(old=REQUESTS, new=REQUESTS, limits=LIMITS)
def test_for_any_old_and_new_settings_every_moment_fits_or_the_plan_is_refused(old, new, limits):
    known = quotas(**limits)
    before = decide(old, known)
    own: dict[str, int] = {}
    if isinstance(before, Plan):
        check_every_moment(old, before, known, own)
        around = by_hand.use_around(old, before.layout.node_count, before.layout.runs_disk.type)
        own = by_hand.sum_of(by_hand.use_of_pools(old, before.layout.pools, known), around)
        known = with_use(known, own)
        new = dataclasses.replace(new, running=before.layout.pools)
    after = decide(new, known)
    if isinstance(after, Plan):
        check_every_moment(new, after, known, own)
    else:
        assert after.problems


def check_every_moment(request: PlanRequest, plan: Plan, known: Quotas, own: dict[str, int]) -> None:
    request = dataclasses.replace(request, workers=plan.workers)
    for use in by_hand.moments(request, plan.layout, plan.temporary_pool, known):
        assert not by_hand.broken(request, use, known, own)


def with_use(known: Quotas, own: dict[str, int]) -> Quotas:
    used = {metric: Quota(quota.limit, own.get(metric, 0)) for metric, quota in known.by_metric.items()}
    return dataclasses.replace(known, by_metric=used)
