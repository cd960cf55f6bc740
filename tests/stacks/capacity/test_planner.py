import dataclasses

import pytest

from stacks.capacity.planner import largest_fit
from stacks.capacity.quotas import TRIAL
from stacks.capacity.request import NodeSharing
from stacks.topology import Role
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ROOMY, ask, metrics_named, planned, quotas, refused


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
        assert metrics_named(refusal)[-3:] == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS"]
        expected = "if 1 x 1 + master 1 x 1 + workers 7 x 1 = 9 needed (steady), 8 allowed: 1 too many."
        assert expected in refusal.problems[-2]
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
        refusal = refused(ask(**{**LAYOUT_OF_2016, "cloud_logging": True}))
        assert "too small for pool if: of 940m of CPU for pods on a node" in refusal.problems[0]
        assert "set cloudLogging to false" in refusal.problems[0]


class TestTheShippedFreeStack:
    """Six workers of one vCPU each under the trial's 8 vCPU."""

    def test_it_fits_as_it_is(self):
        plan = planned(ask())
        worker = plan.layout.pod("worker")
        assert (worker.count, worker.cpu_millicores) == (6, 1000)
        assert max(peak.peak for peak in plan.peaks if "CPUS" in peak.metric) == 8

    def test_nine_workers_are_refused_for_every_metric_that_breaks_with_the_number_that_fits(self):
        refusal = refused(ask(workers=9))
        assert metrics_named(refusal) == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS"]
        assert refusal.largest_fit == 6
        assert planned(ask(workers=6))
        assert refused(ask(workers=7)).largest_fit == 6

    def test_nine_smaller_workers_fit(self):
        assert planned(ask(workers=9, worker_cpu=0)).layout.pod("worker").cpu_millicores < 1000


class TestBudgetAndFit:
    def test_the_budget_holds_even_where_the_quota_is_larger(self):
        plan = planned(ask(), ROOMY)
        assert peaks_of(plan)["vcpuBudget"] <= 8
        assert metrics_named(refused(ask(workers=7), ROOMY)) == ["vcpuBudget"]

    def test_a_budget_of_0_leaves_it_to_the_quota(self):
        assert planned(ask(workers=7, vcpu_budget=0), ROOMY).workers == 7

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
        refusal = refused(ask("gke"))
        assert "CPUS_ALL_REGIONS" in metrics_named(refusal)
        assert any("quotas were not read" in text for text in refusal.warnings)

    def test_a_metric_that_is_not_known_counts_as_nothing_left(self):
        refusal = refused(ask(machine_type="c4-standard-8"), quotas(HDB_TOTAL_GB=500))
        assert metrics_named(refusal) == ["CPUS_PER_VM_FAMILY"]
        assert "quota isn't known" in refusal.problems[0]


class TestAuto:
    def test_it_takes_the_layout_that_leaves_most_to_the_workers(self):
        plan = planned(ask(worker_cpu=0))
        assert [pool.machine_type for pool in plan.layout.pools] == ["e2-standard-8"]
        apart = planned(ask(worker_cpu=0, node_sharing=NodeSharing.SERVICES))
        assert plan.layout.pod("worker").cpu_millicores > 2 * apart.layout.pod("worker").cpu_millicores

    def test_it_takes_faster_cores_where_their_quota_is_known(self):
        plan = planned(ask(), quotas(T2D_CPUS=8))
        assert [pool.machine_type for pool in plan.layout.pools] == ["t2d-standard-8"]

    def test_it_considers_only_what_the_zone_offers(self):
        offered = frozenset({"e2-standard-2", "n1-standard-1", "t2d-standard-8"})
        plan = planned(ask(offered=offered, worker_cpu=0))
        assert {pool.machine_type for pool in plan.layout.pools} <= offered

    def test_a_named_type_is_taken_as_it_is(self):
        plan = planned(ask(machine_type="e2-standard-2", worker_cpu=0))
        assert {pool.machine_type for pool in plan.layout.pools} == {"e2-standard-2"}

    def test_spot_is_for_workers_alone_and_an_untainted_on_demand_pool_remains(self):
        pools = planned(ask(spot=True, worker_cpu=0)).layout.pools
        assert [(pool.is_spot, pool.is_tainted) for pool in pools] == [(False, False), (True, True)]

    def test_the_same_question_has_the_same_answer(self):
        assert planned(ask()) == planned(ask())


def test_a_thousand_nodes_are_planned():
    plan = planned(
        ask("gke", workers=999, machine_type="e2-standard-4", vcpu_budget=0, batch_size=60_000), ROOMY
    )
    workers = plan.layout.pool(Role.WORKER)
    assert workers.node_count == 999
    assert plan.layout.pool(Role.INTERFACE).node_count > 1, "Kubernetes' own pods grow with the nodes"


def test_the_largest_fit_leaves_room_for_none_more():
    request = ask(workers=500, node_sharing=NodeSharing.SERVICES, vcpu_budget=0, worker_cpu=0)
    known = quotas(CPUS=60, E2_CPUS=60, CPUS_ALL_REGIONS=60, INSTANCES=100, SSD_TOTAL_GB=5000)
    largest = largest_fit(request, known)
    assert planned(dataclasses.replace(request, workers=largest), known)
    assert refused(dataclasses.replace(request, workers=largest + 1), known)


def test_a_zone_with_few_types_is_refused_with_arithmetic_too():
    for offered in (frozenset({"n1-standard-1"}), frozenset({"n1-standard-1", "e2-highcpu-2"})):
        refusal = refused(ask("gke", workers=40, offered=offered))
        assert refusal.problems
        assert refusal.nearest is not None


@pytest.mark.parametrize("wrong", [{"machine_type": "t2a-standard-4"}, {"machine_type": "e2-standrd-4"}])
def test_a_machine_that_cannot_be_used_is_refused_before_any_arithmetic(wrong):
    refusal = refused(ask(**wrong))
    assert refusal.nearest is None
    assert refusal.largest_fit is None
    assert TRIAL.source in refusal.warnings[0]
