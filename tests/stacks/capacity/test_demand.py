import dataclasses

import pytest

from stacks.capacity import demand
from stacks.capacity.figures import MetricPeak
from stacks.capacity.plan import Disk, Layout, Pool, TemporaryPool
from stacks.capacity.request import NodeSharing, PlanRequest
from stacks.topology import Role
from tests.stacks.capacity import by_hand
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ROOMY, ask, planned, quotas

TEMPORARY = TemporaryPool(machine_type="e2-medium", disk=Disk(type="pd-standard", size_gb=20))


def pool(key: str, machine_type: str, nodes: int, *, is_spot: bool = False, disk_gb: int = 30) -> Pool:
    roles = (Role.WORKER,) if key == "workers" else (Role.INTERFACE, Role.MASTER)
    return Pool(
        key=key,
        machine_type=machine_type,
        node_count=nodes,
        roles=roles,
        is_spot=is_spot,
        is_tainted=key == "workers",
        disk=Disk(type="pd-balanced", size_gb=disk_gb),
    )


def layout(*pools: Pool) -> Layout:
    return Layout(
        pools=pools, pods=(), loads=(), workers_per_node=1, runs_disk=Disk(type="pd-balanced", size_gb=10)
    )


def peaks(request: PlanRequest, planned_layout: Layout, known=ROOMY) -> dict[str, MetricPeak]:
    found = demand.peaks(request, planned_layout, TEMPORARY, known)
    return {peak.metric: peak for peak in found}


MAIN, WORKERS = pool("main", "e2-standard-2", 1), pool("workers", "n1-standard-2", 3)


def test_every_metric_is_counted_in_every_phase():
    found = peaks(ask(), layout(MAIN, WORKERS))
    assert {metric: (peak.create, peak.steady) for metric, peak in found.items()} == {
        "vcpuBudget": (2, 8),
        "CPUS": (2, 8),
        "E2_CPUS": (2, 2),
        "CPUS_ALL_REGIONS": (2, 8),
        "INSTANCES": (1, 4),
        "SSD_TOTAL_GB": (0, 4 * 30 + 10),
        "DISKS_TOTAL_GB": (20, 0),
        "IN_USE_ADDRESSES": (1, 1),
        "STATIC_ADDRESSES": (1, 1),
        "NETWORKS": (1, 1),
        "ROUTERS": (1, 1),
    }


def test_it_agrees_with_a_reckoning_by_hand():
    plan = planned(ask(workers=6, **LAYOUT_OF_2016))
    request = ask(workers=6, **LAYOUT_OF_2016)
    steady = by_hand.moments(request, plan.layout, plan.temporary_pool, ROOMY)[0]
    assert {peak.metric: peak.steady for peak in plan.peaks if peak.steady} == {
        metric: amount for metric, amount in steady.items() if amount
    }


@pytest.mark.parametrize(("surge", "cpus"), [(0, 8), (1, 10), (2, 12)])
def test_an_upgrade_adds_surge_nodes_of_the_pool_where_they_count_most(surge, cpus):
    found = peaks(ask(max_surge=surge), layout(MAIN, WORKERS))
    assert found["CPUS"].upgrade == cpus
    assert found["INSTANCES"].upgrade == 4 + surge
    assert found["NETWORKS"].upgrade == 1


def test_public_nodes_take_addresses_and_need_no_nat():
    found = peaks(ask(private_nodes=False), layout(MAIN, WORKERS))
    assert found["IN_USE_ADDRESSES"].steady == 4
    assert "ROUTERS" not in found
    assert "STATIC_ADDRESSES" not in found


def test_a_thousand_nodes_need_a_second_nat_address():
    found = peaks(ask(), layout(MAIN, dataclasses.replace(WORKERS, node_count=1008)))
    assert found["STATIC_ADDRESSES"].steady == 2


def test_spot_draws_on_the_usual_quota_until_it_has_its_own():
    spot = layout(MAIN, pool("workers", "n2-standard-2", 3, is_spot=True))
    assert peaks(ask(), spot)["N2_CPUS"].steady == 6
    granted = peaks(ask(), spot, quotas(PREEMPTIBLE_CPUS=100))
    assert granted["PREEMPTIBLE_CPUS"].steady == 6
    assert "N2_CPUS" not in granted
    assert granted["CPUS_ALL_REGIONS"].steady == 8


def test_without_a_budget_no_budget_is_kept():
    assert "vcpuBudget" not in peaks(ask(vcpu_budget=0), layout(MAIN, WORKERS))


def test_e2_counts_in_cpus_alone_where_the_project_has_no_e2_metric():
    without_e2 = dataclasses.replace(
        ROOMY, by_metric={metric: quota for metric, quota in ROOMY.by_metric.items() if metric != "E2_CPUS"}
    )
    found = peaks(ask(), layout(MAIN), without_e2)
    assert "E2_CPUS" not in found
    assert found["CPUS"].steady == 2


class TestReplacing:
    def test_a_pool_of_another_machine_type_is_gone_before_it_is_made(self):
        running = (MAIN, WORKERS)
        found = peaks(ask(running=running), layout(MAIN, pool("workers", "e2-standard-4", 2)))
        assert found["CPUS"].replace == 2 + 8

    def test_a_pool_that_is_no_longer_wanted_goes_last(self):
        found = peaks(ask(running=(MAIN, WORKERS)), layout(pool("main", "e2-standard-8", 1)))
        assert found["CPUS"].replace == 8 + 6

    def test_resized_pools_never_exceed_the_larger_size(self):
        found = peaks(ask(running=(MAIN, WORKERS)), layout(MAIN, dataclasses.replace(WORKERS, node_count=5)))
        assert found["CPUS"].replace == 2 + 10

    def test_another_disk_in_place_counts_in_both_quotas(self):
        retyped = dataclasses.replace(WORKERS, disk=Disk(type="pd-standard", size_gb=30))
        found = peaks(ask(running=(MAIN, WORKERS)), layout(MAIN, retyped))
        assert found["DISKS_TOTAL_GB"].replace == 90
        assert found["SSD_TOTAL_GB"].replace == 30 + 90 + 10

    def test_pools_that_shrink_are_handled_first(self):
        request = ask(running=(MAIN, WORKERS))
        larger_main, smaller_workers = pool("main", "e2-standard-4", 1), pool("workers", "n1-standard-2", 2)
        ordered = demand.in_safe_order(request, layout(larger_main, smaller_workers))
        assert [made.key for made in ordered.pools] == ["workers", "main"]
        assert peaks(request, ordered)["CPUS"].replace == 8
        assert peaks(request, layout(larger_main, smaller_workers))["CPUS"].replace == 10


def test_own_use_is_that_of_the_running_pools_and_the_network_around_them():
    assert demand.own_use(ask(), ROOMY) == {}
    own = demand.own_use(ask(running=(MAIN, WORKERS)), ROOMY)
    assert own["CPUS"] == 8
    assert own["SSD_TOTAL_GB"] == 4 * 30 + 10
    assert own["NETWORKS"] == 1


def test_metrics_come_in_an_order_that_reads_well():
    plan = planned(ask(node_sharing=NodeSharing.SERVICES, worker_cpu=0), quotas(T2D_CPUS=6))
    names = [peak.metric for peak in plan.peaks]
    assert names[:2] == ["vcpuBudget", "CPUS"]
    assert names.index("T2D_CPUS") < names.index("CPUS_ALL_REGIONS") < names.index("INSTANCES")
