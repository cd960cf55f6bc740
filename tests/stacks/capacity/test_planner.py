import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stacks.capacity.plan import Plan
from stacks.capacity.planner import decide, largest_fit
from stacks.capacity.quotas import TRIAL, Quota, Quotas
from stacks.capacity.request import NodeSharing, PlanRequest
from stacks.topology import Role
from tests.stacks.capacity import by_hand
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ROOMY, ask, planned, quotas, refused


def metrics_named(answer) -> list[str]:
    return [problem.split(":")[0] for problem in answer.problems]


def peaks_of(answer) -> dict[str, int]:
    return {peak.metric: peak.peak for peak in answer.peaks}


class TestThe2016Layout:
    """Eight n1-standard-1, one role a node, under the trial's 8 vCPU."""

    def test_it_is_written_as_settings_and_fits_eight_vcpu_exactly(self):
        plan = planned(ask(workers=6, **LAYOUT_OF_2016))
        assert [(pool.key, pool.machine_type, pool.node_count) for pool in plan.layout.pools] == [
            ("if", "n1-standard-1", 1),
            ("master", "n1-standard-1", 1),
            ("workers", "n1-standard-1", 6),
        ]
        assert all(len(pool.roles) == 1 for pool in plan.layout.pools)
        for peak in plan.peaks:
            if peak.metric in ("CPUS", "CPUS_ALL_REGIONS", "vcpuBudget"):
                assert (peak.peak, peak.available) == (8, 8)

    def test_seven_workers_make_nine_and_are_refused_for_every_metric_that_breaks(self):
        refusal = refused(ask(workers=7, **LAYOUT_OF_2016))
        assert metrics_named(refusal) == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS"]
        assert (
            "if 1 x 1 + master 1 x 1 + workers 7 x 1 = 9 needed (steady), 8 allowed: 1 too many."
            in (refusal.problems[1])
        )
        assert refusal.largest_fit == 6

    def test_what_others_use_counts(self):
        in_use = quotas(CPUS=(8, 2))
        refusal = refused(ask(workers=5, **LAYOUT_OF_2016), in_use)
        assert metrics_named(refusal) == ["CPUS"]
        assert (
            "= 7 needed (steady), 8 allowed, 2 of them in use by others: 1 too many." in refusal.problems[0]
        )
        assert planned(ask(workers=4, **LAYOUT_OF_2016), in_use).workers == 4

    def test_with_the_logging_agent_kubernetes_own_pods_do_not_fit_and_the_way_out_is_named(self):
        refusal = refused(ask(workers=6, **{**LAYOUT_OF_2016, "cloud_logging": True}))
        assert "64m are missing" in refusal.problems[0]
        assert "set cloudLogging to false" in refusal.problems[0]


class TestRecordedFailures:
    """What people ran into, each refused before anything is created, with the metric named."""

    def test_a_region_where_a_zone_is_meant(self):
        refusal = refused(ask(zone="us-central1"))
        assert "zone=us-central1 is a region" in refusal.problems[0]
        assert "us-central1-a, us-central1-b, us-central1-c, us-central1-f" in refusal.problems[0]

    def test_the_projects_own_cpu_quota_is_kept_where_the_regions_has_room(self):
        request = ask(
            "gke", machine_type="n1-standard-2", workers=7, node_sharing=NodeSharing.SERVICES, vcpu_budget=0
        )
        refusal = refused(request, quotas(CPUS=24, CPUS_ALL_REGIONS=12))
        assert metrics_named(refusal) == ["CPUS_ALL_REGIONS"]
        assert "main 1 x 2 + workers 7 x 2 = 16 needed" in refusal.problems[0]

    def test_default_disks_of_100_gb_eat_the_ssd_quota(self):
        request = ask(
            machine_type="e2-standard-2",
            workers=2,
            node_sharing=NodeSharing.SERVICES,
            disk_type="pd-balanced",
            disk_gb=100,
        )
        refusal = refused(request)
        assert metrics_named(refusal) == ["SSD_TOTAL_GB"]
        assert (
            "main 1 x 100 + workers 2 x 100 + runs 10 = 310 needed (steady), 250 allowed: 60 too many."
            in (refusal.problems[0])
        )

    def test_a_public_node_takes_an_address(self):
        request = ask(private_nodes=False, machine_type="n1-standard-1", workers=3, **shared_services())
        refusal = refused(request, quotas(IN_USE_ADDRESSES=4))
        assert metrics_named(refusal) == ["IN_USE_ADDRESSES"]
        assert "Set privateNodes to true" in refusal.problems[0]
        assert planned(dataclasses.replace(request, private_nodes=True), quotas(IN_USE_ADDRESSES=4))

    def test_the_address_of_the_nat_counts_too(self):
        refusal = refused(ask(), quotas(IN_USE_ADDRESSES=(4, 4)))
        assert metrics_named(refusal) == ["IN_USE_ADDRESSES"]

    def test_a_surge_node_does_not_fit_a_full_quota(self):
        refusal = refused(ask(workers=6, max_surge=1, **LAYOUT_OF_2016))
        assert metrics_named(refusal) == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS"]
        assert "+ surge 1 = 9 needed (upgrade), 8 allowed" in refusal.problems[1]

    def test_the_temporary_pool_is_counted(self):
        request = ask(machine_type="n2-standard-2", workers=1, disk_type="pd-balanced")
        refusal = refused(
            request, quotas(N2_CPUS=8, CPUS=0, DISKS_TOTAL_GB=0, IN_USE_ADDRESSES=1, SSD_TOTAL_GB=10)
        )
        assert metrics_named(refusal) == ["SSD_TOTAL_GB"]
        small = dataclasses.replace(request, disk_gb=20, runs_disk_gb=10)
        refusal = refused(dataclasses.replace(small, private_nodes=False), quotas(N2_CPUS=8, INSTANCES=0))
        assert "INSTANCES: main 1 x 1 = 1 needed (steady), 0 allowed" in refusal.problems[0]

    def test_the_temporary_pool_takes_the_pools_own_type_where_e2_has_no_quota(self):
        request = ask(machine_type="n2-standard-2", workers=1)
        temporary = planned(request, quotas(N2_CPUS=8, CPUS=0, E2_CPUS=0)).temporary_pool
        assert (temporary.machine_type, temporary.node_count, temporary.disk.size_gb) == (
            "n2-standard-2",
            1,
            20,
        )
        usual = planned(request, quotas(N2_CPUS=8)).temporary_pool
        assert (usual.machine_type, usual.disk.type) == ("e2-medium", "pd-standard")

    def test_a_whole_vcpu_for_a_worker_is_more_than_a_one_vcpu_node_has(self):
        one = ask(**{**LAYOUT_OF_2016, "worker_cpu_millicores": 1000})
        refusal = refused(one)
        assert "workerCpuMillicores=1000 does not fit on a n1-standard-1" in refusal.problems[0]
        assert "pods may have 940m" in refusal.problems[0]
        assert "at most 556" in refusal.problems[0]
        fitting = planned(dataclasses.replace(one, worker_cpu_millicores=556))
        assert fitting.layout.pod("worker").cpu_millicores == 556
        assert refused(dataclasses.replace(one, worker_cpu_millicores=557))

    def test_all_reasons_come_at_once(self):
        request = ask(
            zone="europe-west1",
            workers=7,
            disk_type="pd-balanced",
            disk_gb=100,
            runs_disk_gb=50,
            **LAYOUT_OF_2016,
        )
        named = metrics_named(refused(request))
        assert named[0].startswith("zone=europe-west1 is a region")
        assert named[1:] == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS", "SSD_TOTAL_GB"]


def shared_services() -> dict[str, object]:
    return {"node_sharing": NodeSharing.SERVICES, "cloud_logging": False}


class TestAChangeOfARunningStack:
    def test_a_change_whose_steps_exceed_the_quota_is_refused_with_the_way_round(self):
        apart = planned(ask(machine_type="e2-standard-2", workers=6)).layout
        known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))
        refusal = refused(ask(machine_type="e2-standard-8", running=apart.pools), known)
        assert metrics_named(refusal) == ["vcpuBudget", "CPUS", "E2_CPUS", "CPUS_ALL_REGIONS"]
        assert (
            "14 needed while the running pools become the planned ones (replace), 8 allowed"
            in (refusal.problems[1])
        )
        assert "in two steps" in refusal.problems[1]

    def test_auto_keeps_to_layouts_that_can_be_reached(self):
        apart = planned(ask(machine_type="e2-standard-2", workers=6)).layout
        known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))
        assert len(planned(ask(running=apart.pools), known).layout.pools) == 2

    def test_the_stacks_own_use_is_not_counted_against_it(self):
        plan = planned(ask())
        known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8), SSD_TOTAL_GB=(250, 40))
        again = planned(ask(running=plan.layout.pools), known)
        assert again.layout == plan.layout
        assert all(peak.in_use == 0 for peak in again.peaks)

    def test_what_shrinks_is_handled_first(self):
        running = planned(ask(machine_type="e2-standard-2", workers=6)).layout.pools
        known = quotas(CPUS=(8, 8), E2_CPUS=(8, 8), CPUS_ALL_REGIONS=(8, 8))
        request = ask(
            machine_type="e2-standard-4", running=running, node_sharing=NodeSharing.SERVICES, workers=1
        )
        assert [pool.key for pool in planned(request, known).layout.pools] == ["workers", "main"]


class TestBudgetAndFit:
    def test_the_budget_holds_even_where_the_quota_is_larger(self):
        plan = planned(ask(), ROOMY)
        assert peaks_of(plan)["vcpuBudget"] <= 8
        assert metrics_named(refused(ask(workers=7, **LAYOUT_OF_2016), ROOMY)) == ["vcpuBudget"]

    def test_a_budget_of_0_leaves_it_to_the_quota(self):
        assert planned(ask(workers=7, vcpu_budget=0, **LAYOUT_OF_2016), ROOMY).workers == 7

    def test_fit_takes_the_largest_number_and_says_so(self):
        plan = planned(ask(workers=9, fit=True, **LAYOUT_OF_2016))
        assert (plan.workers, plan.workers_asked) == (6, 9)
        assert any(
            "workers=9 does not fit; fit=true takes the most that do, 6." in text for text in plan.warnings
        )

    def test_fit_does_not_hide_other_mistakes(self):
        assert refused(ask(workers=9, fit=True, zone="us-central1", **LAYOUT_OF_2016))

    def test_no_number_fits_where_nothing_is_left(self):
        assert refused(ask(), quotas(CPUS_ALL_REGIONS=(8, 8))).largest_fit == 0

    def test_quotas_that_were_not_read_are_the_trials_and_never_none(self):
        plan = planned(ask("gke"))
        assert peaks_of(plan)["CPUS_ALL_REGIONS"] <= 8
        assert any("quotas were not read" in text for text in plan.warnings)

    def test_a_metric_that_is_not_known_counts_as_nothing_left(self):
        refusal = refused(ask(machine_type="c4-standard-8"), quotas(HDB_TOTAL_GB=500))
        assert metrics_named(refusal) == [
            "CPUS_PER_VM_FAMILY",
        ]
        assert "quota isn't known" in refusal.problems[0]


class TestAuto:
    def test_it_takes_the_layout_that_leaves_most_to_the_workers(self):
        plan = planned(ask())
        assert [pool.machine_type for pool in plan.layout.pools] == ["e2-standard-8"]
        assert plan.layout.pod("worker").cpu_millicores > 1000

    def test_it_takes_faster_cores_where_their_quota_is_known(self):
        plan = planned(ask(), quotas(T2D_CPUS=8))
        assert [pool.machine_type for pool in plan.layout.pools] == ["t2d-standard-8"]

    def test_it_considers_only_what_the_zone_offers(self):
        offered = frozenset({"e2-standard-2", "n1-standard-1", "t2d-standard-8"})
        plan = planned(ask(offered=offered))
        assert {pool.machine_type for pool in plan.layout.pools} <= offered

    def test_a_named_type_is_taken_as_it_is(self):
        plan = planned(ask(machine_type="e2-standard-2"))
        assert {pool.machine_type for pool in plan.layout.pools} == {"e2-standard-2"}

    def test_spot_is_for_workers_alone_and_an_untainted_on_demand_pool_remains(self):
        pools = planned(ask(spot=True)).layout.pools
        assert [(pool.is_spot, pool.is_tainted) for pool in pools] == [(False, False), (True, True)]

    def test_the_same_question_has_the_same_answer(self):
        assert planned(ask()) == planned(ask())


def test_a_thousand_nodes_are_planned():
    plan = planned(
        ask("gke", workers=999, machine_type="e2-standard-4", vcpu_budget=0, batch_size=6000), ROOMY
    )
    workers = plan.layout.pool(Role.WORKER)
    assert workers.node_count == 999
    assert plan.layout.pool(Role.INTERFACE).node_count > 1, "Kubernetes' own pods grow with the nodes"


def test_the_largest_fit_leaves_room_for_none_more():
    request = ask(workers=500, node_sharing=NodeSharing.SERVICES, vcpu_budget=0)
    known = quotas(CPUS=60, E2_CPUS=60, CPUS_ALL_REGIONS=60, INSTANCES=100, SSD_TOTAL_GB=5000)
    largest = largest_fit(request, known)
    assert planned(dataclasses.replace(request, workers=largest), known)
    assert refused(dataclasses.replace(request, workers=largest + 1), known)


REQUESTS = st.builds(
    lambda **fields: ask(**fields),
    workers=st.integers(1, 9),
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


@pytest.mark.parametrize("wrong", [{"machine_type": "t2a-standard-4"}, {"machine_type": "e2-standrd-4"}])
def test_a_machine_that_cannot_be_used_is_refused_before_any_arithmetic(wrong):
    refusal = refused(ask(**wrong))
    assert refusal.nearest is None
    assert refusal.largest_fit is None
    assert TRIAL.source in refusal.warnings[0]
