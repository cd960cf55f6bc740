import pytest

from stacks.capacity import allocatable
from stacks.capacity.machines import MACHINE_TYPES


@pytest.mark.parametrize(
    ("name", "millicores"),
    [
        ("n1-standard-1", 940),
        ("e2-medium", 940),
        ("e2-standard-2", 1930),
        ("e2-standard-4", 3920),
        ("e2-standard-8", 7910),
        ("e2-standard-16", 15890),
    ],
)
def test_cpu_is_what_google_documents(name, millicores):
    assert allocatable.cpu_millicores(MACHINE_TYPES[name]) == millicores


@pytest.mark.parametrize(
    ("name", "measured_mib"),
    [
        ("e2-medium", 2866840 / 1024),
        ("n2-standard-4", 13591652 / 1024),
        ("n1-standard-2", 5.48 * 1024),
        ("n1-standard-8", 25.88 * 1024),
    ],
)
def test_memory_is_within_three_per_cent_of_measured_nodes(name, measured_mib):
    assert allocatable.memory_mib(MACHINE_TYPES[name]) == pytest.approx(measured_mib, rel=0.03)


def test_larger_machines_leave_more():
    for series in ("e2-standard", "n2-highcpu"):
        sizes = [MACHINE_TYPES[f"{series}-{vcpus}"] for vcpus in (2, 4, 8, 16, 32)]
        assert sorted(map(allocatable.cpu_millicores, sizes)) == [*map(allocatable.cpu_millicores, sizes)]
        assert sorted(map(allocatable.memory_mib, sizes)) == [*map(allocatable.memory_mib, sizes)]


@pytest.mark.parametrize(("disk_gb", "usable"), [(20, 8), (30, 12), (50, 21)])
def test_half_of_a_small_disk_is_kubernetes_own(disk_gb, usable):
    assert allocatable.disk_gb(disk_gb) == usable
