"""What people ran into, each refused before anything is created, with the metric or setting named."""

import dataclasses

from stacks.capacity.request import NodeSharing, PodSize
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ask, metrics_named, planned, quotas, refused


def test_a_region_where_a_zone_is_meant():
    refusal = refused(ask(zone="us-central1"))
    assert "zone=us-central1 is a region" in refusal.problems[0]
    assert "us-central1-a, us-central1-b, us-central1-c, us-central1-f" in refusal.problems[0]


def test_the_projects_own_cpu_quota_is_kept_where_the_regions_has_room():
    request = ask("gke", machine_type="n1-standard-2", workers=7, vcpu_budget=0)
    refusal = refused(request, quotas(CPUS=24, CPUS_ALL_REGIONS=12))
    assert metrics_named(refusal) == ["CPUS_ALL_REGIONS"]
    assert "main 1 x 2 + workers 7 x 2 = 16 needed" in refusal.problems[0]


def test_default_disks_of_100_gb_eat_the_ssd_quota():
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


def test_a_public_node_takes_an_address():
    request = ask(
        private_nodes=False,
        machine_type="n1-standard-1",
        workers=3,
        node_sharing=NodeSharing.SERVICES,
        cloud_logging=False,
        worker_cpu=0,
    )
    refusal = refused(request, quotas(IN_USE_ADDRESSES=4))
    assert metrics_named(refusal) == ["IN_USE_ADDRESSES"]
    assert "Set privateNodes to true" in refusal.problems[0]
    assert planned(dataclasses.replace(request, private_nodes=True), quotas(IN_USE_ADDRESSES=4))


def test_the_address_of_the_nat_counts_too():
    refusal = refused(ask(), quotas(IN_USE_ADDRESSES=(4, 4)))
    assert metrics_named(refusal) == ["IN_USE_ADDRESSES"]


def test_a_surge_node_does_not_fit_a_full_quota():
    refusal = refused(ask(workers=6, max_surge=1, **LAYOUT_OF_2016))
    assert metrics_named(refusal) == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS"]
    assert "+ surge 1 = 9 needed (upgrade), 8 allowed" in refusal.problems[1]


def test_the_temporary_pool_is_counted_and_takes_the_pools_own_type_where_e2_has_no_quota():
    request = ask(machine_type="n2-standard-4", workers=1)
    usual = planned(request, quotas(N2_CPUS=8))
    assert (usual.temporary_pool.machine_type, usual.temporary_pool.disk.type) == ("e2-medium", "pd-standard")
    creating = {peak.metric: peak.create for peak in usual.peaks}
    assert (creating["CPUS"], creating["DISKS_TOTAL_GB"], creating["INSTANCES"]) == (2, 20, 1)
    own = planned(request, quotas(N2_CPUS=8, CPUS=1, E2_CPUS=0))
    assert (own.temporary_pool.machine_type, own.temporary_pool.disk.size_gb) == ("n2-standard-4", 20)
    assert {peak.metric: peak.create for peak in own.peaks}["N2_CPUS"] == 4


def test_a_whole_vcpu_for_a_worker_is_more_than_a_one_vcpu_node_has():
    layout = {**LAYOUT_OF_2016, "worker_cpu": 1000}
    refusal = refused(ask(**layout))
    (problem,) = refusal.problems
    assert "workerCpuMillicores=1000 does not fit on machineType=n1-standard-1" in problem
    assert (
        "of its 1000m pods may have 940m, what Kubernetes runs on every node takes 384m, 556m are left"
        in problem
    )
    assert problem.endswith("set workerCpuMillicores to at most 556.")
    fitting = planned(ask(**{**layout, "worker_cpu": 556}))
    assert fitting.layout.pod("worker").cpu_millicores == 556
    assert refused(ask(**{**layout, "worker_cpu": 557}))


def test_what_does_not_fit_on_a_node_is_said_of_workers_and_services_at_once():
    refusal = refused(ask(**{**LAYOUT_OF_2016, "worker_cpu": 1000, "cloud_logging": True}))
    assert "to at most 440" in refusal.problems[0]
    assert "set cloudLogging to false" in refusal.problems[1]


def test_memory_that_a_worker_wants_and_a_node_lacks():
    size = {"worker": PodSize(0, 4000)}
    (problem,) = refused(
        ask(sizes=size, **{key: LAYOUT_OF_2016[key] for key in LAYOUT_OF_2016 if key != "worker_cpu"})
    ).problems
    assert "workerMemoryMib=4000 does not fit on machineType=n1-standard-1" in problem
    assert "set workerMemoryMib to at most 2097." in problem


def test_all_reasons_come_at_once():
    request = ask(zone="europe-west1", workers=7, disk_type="pd-balanced", disk_gb=100, **LAYOUT_OF_2016)
    named = metrics_named(refused(request))
    assert named[0].startswith("zone=europe-west1 is a region")
    assert named[1].startswith("machineType=n1-standard-1 is too small for pool if")
    assert named[2:] == ["vcpuBudget", "CPUS", "CPUS_ALL_REGIONS", "SSD_TOTAL_GB"]
