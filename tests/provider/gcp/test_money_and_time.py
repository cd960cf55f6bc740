"""The cost meter and the deadline of the dead-man switch."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from provider.gcp import cost_meter
from provider.gcp.cost_meter import CostMeter, bill, spent
from provider.gcp.deadline import LONGEST_HOURS, Deadline, Inputs, deadline_after
from provider.resource import State

START = datetime(2026, 11, 30, 18, 5, tzinfo=UTC)


def meter(dollars_per_hour=0.5, before=0.0, ends_at=""):
    inputs = cost_meter.Inputs(dollars_per_hour=dollars_per_hour, prices_of="3 August 2026", ends_at=ends_at)
    began = START.isoformat()
    return State("meter", inputs, cost_meter.Outputs(started_at=began, since=began, dollars_before=before))


def test_hours_times_price_is_what_it_cost():
    assert bill(meter(), START + timedelta(hours=3)).startswith("ran for 3.00 h and cost about $1.50")


def test_an_earlier_price_counts_for_the_earlier_hours():
    assert spent(meter(before=2.0), START + timedelta(hours=1)) == pytest.approx(2.5)


def test_a_change_of_price_closes_the_stretch_before_it(operation):
    state = meter()
    outputs = CostMeter().update(
        operation, state, cost_meter.Inputs(dollars_per_hour=9, prices_of="", ends_at="")
    )
    assert outputs.started_at == state.outputs.started_at
    assert outputs.dollars_before == pytest.approx(
        spent(state, datetime.fromisoformat(outputs.since)), abs=0.01
    )


def test_nothing_is_counted_after_the_dead_man_switch_ended_the_cluster():
    end = (START + timedelta(hours=12)).strftime("%Y-%m-%dT%H:%MZ")
    assert spent(meter(ends_at=end), START + timedelta(days=9)) == pytest.approx(6.0)


def test_the_bill_is_told_when_the_meter_is_deleted(operation, lines):
    CostMeter().delete(operation, meter())
    assert "cost about $" in lines[0]
    assert "before Google's credits" in lines[0]


def test_a_deadline_is_a_whole_minute_in_utc():
    outputs = deadline_after(datetime(2026, 12, 31, 18, 5, 1, tzinfo=UTC), 12)
    assert outputs.delete_at == "2027-01-01T06:06Z"
    assert outputs.schedule == "6 6 1 1 *"


@given(
    now=some.datetimes(datetime(2026, 1, 1), datetime(2032, 1, 1)),
    hours=some.integers(1, LONGEST_HOURS),
)
def test_a_deadline_is_never_early_and_at_most_a_minute_late(now, hours):
    now = now.replace(tzinfo=UTC)
    outputs = deadline_after(now, hours)
    late = datetime.fromisoformat(outputs.delete_at) - (now + timedelta(hours=hours))
    assert timedelta(0) <= late < timedelta(minutes=1)
    minute, hour, day, month, weekday = outputs.schedule.split()
    fires = datetime.fromisoformat(outputs.delete_at)
    assert (fires.minute, fires.hour, fires.day, fires.month) == (
        int(minute),
        int(hour),
        int(day),
        int(month),
    )
    assert weekday == "*"


@pytest.mark.parametrize("hours", [0, -1, LONGEST_HOURS + 1])
def test_a_deadline_beyond_what_a_schedule_can_say_is_refused(hours):
    (problem,) = Deadline().check(Inputs(ttl_hours=hours))
    assert f"ttlHours={hours}" in problem.reason


def test_up_says_plainly_when_the_cluster_will_be_deleted(operation, lines):
    created = Deadline().create(operation, Inputs(ttl_hours=12))
    assert f"Google deletes this cluster at {created.outputs.delete_at}" in lines[0]
