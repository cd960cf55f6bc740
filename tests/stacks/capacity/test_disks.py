from stacks.capacity.disks import temporary_pools, with_types
from stacks.capacity.layouts import lay_out
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Layout
from stacks.capacity.shapes import Arrangement, Shape
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ask, planned, quotas


def apart(main: str, worker: str, **changes: object) -> tuple[object, Layout]:
    request = ask(worker_cpu=0, **changes)
    layout = lay_out(request, Shape(Arrangement.APART, MACHINE_TYPES[main], MACHINE_TYPES[worker], 1))
    assert isinstance(layout, Layout)
    return request, layout


def types_of(layouts: list[Layout]) -> list[list[str]]:
    return [[*(pool.disk.type for pool in layout.pools), layout.runs_disk.type] for layout in layouts]


def test_auto_prefers_balanced_disks_and_falls_back_to_standard_ones():
    request, layout = apart("e2-standard-2", "n1-standard-1")
    assert types_of(list(with_types(request, layout))) == [["pd-balanced"] * 3, ["pd-standard"] * 3]


def test_a_family_without_standard_disks_keeps_what_it_takes():
    request, layout = apart("e2-standard-2", "c4-standard-2")
    assert types_of(list(with_types(request, layout))) == [
        ["pd-balanced", "hyperdisk-balanced", "pd-balanced"],
        ["pd-standard", "hyperdisk-balanced", "pd-standard"],
    ]


def test_a_named_type_is_taken_as_it_is():
    request, layout = apart("e2-standard-2", "n1-standard-1", disk_type="pd-ssd")
    assert types_of(list(with_types(request, layout))) == [["pd-ssd"] * 3]


def test_eight_balanced_disks_of_30_gb_and_the_runs_fill_the_trials_quota_exactly():
    plan = planned(ask(**LAYOUT_OF_2016))
    assert {pool.disk.type for pool in plan.layout.pools} == {"pd-balanced"}
    peak = next(peak for peak in plan.peaks if peak.metric == "SSD_TOTAL_GB")
    assert (peak.peak, peak.available) == (250, 250)


def test_one_gb_less_makes_them_standard_disks():
    plan = planned(ask(**LAYOUT_OF_2016), quotas(SSD_TOTAL_GB=249))
    assert {pool.disk.type for pool in plan.layout.pools} == {"pd-standard"}
    assert any("pd-standard disks of 30 GB are slow" in text for text in plan.warnings)


def test_the_temporary_pool_is_small_and_on_a_standard_disk_first():
    _, layout = apart("c4-standard-4", "n1-standard-1")
    first, second = temporary_pools(layout)
    assert (first.machine_type, first.disk.type, first.disk.size_gb) == ("e2-medium", "pd-standard", 20)
    assert (second.machine_type, second.disk.type) == ("c4-standard-4", "hyperdisk-balanced")
