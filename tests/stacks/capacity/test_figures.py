import pytest

from stacks.capacity.figures import Cost, MetricPeak


def peak(limit: int | None, in_use: int = 0) -> MetricPeak:
    return MetricPeak(metric="CPUS", create=2, steady=8, upgrade=9, replace=8, limit=limit, in_use=in_use)


def test_the_peak_is_the_largest_phase():
    assert peak(9).peak == 9


@pytest.mark.parametrize(
    ("limit", "in_use", "fits"), [(9, 0, True), (8, 0, False), (10, 1, True), (10, 2, False)]
)
def test_it_fits_exactly_up_to_what_is_available(limit, in_use, fits):
    assert peak(limit, in_use).fits is fits


def test_an_unknown_limit_is_nothing_and_never_without_limit():
    assert peak(None).available == 0
    assert not peak(None).fits


def test_an_hour_costs_the_sum_of_its_lines():
    cost = Cost(lines={"nodes": 0.3, "disks": 0.02}, credit_per_hour=0.1, run_hours=0.5, run_dollars=0.16)
    assert cost.dollars_per_hour == pytest.approx(0.32)
