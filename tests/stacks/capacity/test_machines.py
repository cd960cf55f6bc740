import pytest

from stacks.capacity.machines import DISK_METRICS, FAMILIES, MACHINE_TYPES, nearest


@pytest.mark.parametrize(
    ("name", "vcpus", "gib", "on_demand", "spot", "gbit_s"),
    [
        ("e2-medium", 2, 4, 0.033506, 0.020106, 2),
        ("e2-standard-8", 8, 32, 0.268046, 0.160848, 16),
        ("e2-highcpu-2", 2, 2, 0.049470, 0.029688, 4),
        ("n1-standard-1", 1, 3.75, 0.047500, 0.016753, 2),
        ("n1-highcpu-2", 2, 1.8, 0.070849, 0.024989, 10),
        ("n2-standard-4", 4, 16, 0.194236, 0.092120, 10),
        ("n2d-highcpu-8", 8, 8, 0.249504, 0.072216, 16),
        ("t2d-standard-1", 1, 4, 0.042246, 0.015760, 10),
        ("c2-standard-8", 8, 32, 0.417616, 0.199360, 16),
        ("c2d-standard-2", 2, 8, 0.090798, 0.030500, 10),
        ("c3-highcpu-4", 4, 8, 0.170104, 0.041680, 23),
        ("c3d-highcpu-8", 8, 16, 0.299848, 0.066832, 20),
        ("c4-standard-2", 2, 7, 0.096866, 0.058121, 10),
        ("c4-standard-8", 8, 30, 0.395340, 0.237210, 23),
        ("c4d-highcpu-2", 2, 3, 0.076667, 0.026912, 10),
        ("n4-standard-8", 8, 32, 0.362800, 0.179136, 16),
        ("n4d-highcpu-8", 8, 16, 0.285840, 0.138656, 16),
        ("t2a-standard-1", 1, 4, 0.038500, 0.016392, 10),
        ("c4a-highcpu-1", 1, 2, 0.037880, 0.016374, 10),
        ("n4a-standard-1", 1, 4, 0.038500, 0.016166, 10),
    ],
)
def test_sizes_and_prices_are_google_s(name, vcpus, gib, on_demand, spot, gbit_s):
    machine = MACHINE_TYPES[name]
    assert (machine.vcpus, machine.memory_gib, machine.network_gbit_s) == (vcpus, gib, gbit_s)
    assert machine.dollars_per_hour(is_spot=False) == pytest.approx(on_demand, rel=0.001)
    assert machine.dollars_per_hour(is_spot=True) == pytest.approx(spot, rel=0.001)


def test_a_shared_core_type_shows_two_vcpu_and_is_billed_for_less():
    assert {name for name, machine in MACHINE_TYPES.items() if machine.is_shared_core} == {
        "e2-micro",
        "e2-small",
        "e2-medium",
    }


def test_every_disk_type_of_a_family_has_a_quota_metric():
    for family in FAMILIES.values():
        assert set(family.disk_types) <= DISK_METRICS.keys()


def test_disks_that_a_family_does_not_take_are_not_listed():
    assert "pd-standard" not in FAMILIES["c3"].disk_types
    assert FAMILIES["c4"].disk_types == ("hyperdisk-balanced",)
    assert "pd-standard" in FAMILIES["e2"].disk_types


def test_arm_families_are_marked():
    assert {name for name, family in FAMILIES.items() if family.arch == "arm64"} == {"t2a", "c4a", "n4a"}


def test_a_vcpu_counts_in_its_familys_own_metric():
    assert FAMILIES["e2"].cpu_metrics == ("CPUS", "E2_CPUS")
    assert FAMILIES["n1"].cpu_metrics == ("CPUS",)
    assert FAMILIES["n2d"].cpu_metrics == ("N2D_CPUS",)
    assert FAMILIES["c4"].cpu_metrics == ("CPUS_PER_VM_FAMILY:C4",)


def test_the_nearest_names_come_first():
    assert nearest("e2-standrd-4")[0] == "e2-standard-4"
    assert nearest("xyz") == ()
