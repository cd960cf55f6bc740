import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.scaling import Scale

_HOURS = itertools.count(3600.0, 3600.0)


def settled(scale: Scale, rate_of, offered: int = 100, rounds: int = 60) -> list[int]:
    """Let the scale see the speed of each number it asks for and return the numbers it used."""
    used = []
    for _ in range(rounds):
        used.append(scale.count)
        scale.observe(scale.count, rate_of(scale.count), offered, next(_HOURS))
    return used


def saturating(workers: int) -> float:
    """Every worker up to four adds an even share, none after that anything."""
    return 1000.0 * min(workers, 4)


def test_as_many_workers_are_used_as_pay() -> None:
    scale = Scale(minimum=1, maximum=8, gain_min=0.25)
    used = settled(scale, saturating)
    assert used[:6] == [1, 2, 3, 4, 5, 4]
    assert set(used[6:]) == {4}, "it stays there"
    assert "one more was tried and added 0% of an even share" in scale.reason


def test_it_stops_at_the_number_offered_and_at_the_maximum() -> None:
    few = Scale(minimum=1, maximum=8, gain_min=0.25)
    assert settled(few, lambda workers: 100.0 * workers, offered=3)[-1] == 3
    assert few.reason == "3 in use are as many as there are, and each of them pays"
    many = Scale(minimum=2, maximum=5, gain_min=0.25)
    assert settled(many, lambda workers: 100.0 * workers)[-1] == 5
    assert many.reason == "5 in use are workers_max, and each of them pays"


def test_it_never_goes_below_the_minimum() -> None:
    scale = Scale(minimum=3, maximum=8, gain_min=0.25)
    assert settled(scale, lambda workers: 1000.0 / workers)[-1] == 3


def test_more_workers_that_come_are_tried() -> None:
    scale = Scale(minimum=1, maximum=8, gain_min=0.25)
    settled(scale, lambda workers: 100.0 * workers, offered=2)
    assert settled(scale, lambda workers: 100.0 * workers, offered=4)[-1] == 4


def test_a_kept_worker_is_given_up_at_half_the_threshold_only() -> None:
    scale = Scale(minimum=1, maximum=2, gain_min=0.4)
    settled(scale, lambda workers: 100.0 * workers)
    assert scale.count == 2
    scale.observe(2, 130.0, 8, now=0)
    assert scale.count == 2, "30 % of an even share is below the threshold, but above half of it"
    scale.observe(2, 115.0, 8, now=0)
    assert scale.count == 1
    assert scale.reason == "worker 2 adds 15% of an even share, less than the 20% that pay"


def test_after_a_try_in_vain_the_next_one_waits_longer_each_time() -> None:
    scale, tries, drifting = Scale(minimum=1, maximum=2, gain_min=0.5), [], 1.0
    for now in range(0, 1000, 10):
        drifting *= 1.3  # every measurement differs, so that what was found is forgotten
        scale.observe(scale.count, drifting if scale.count == 1 else 0.0, 8, float(now))
        tries += [now] if scale.count == 2 else []
    assert tries == [0, 70, 200, 450, 940]


def test_a_changed_speed_makes_it_try_again() -> None:
    scale = Scale(minimum=1, maximum=8, gain_min=0.25)
    settled(scale, saturating)
    assert scale.count == 4
    used = settled(scale, lambda workers: 2000.0 * workers)
    assert used[-1] == 8


def test_a_speed_of_another_number_of_workers_decides_nothing() -> None:
    scale = Scale(minimum=2, maximum=8, gain_min=0.25)
    assert scale.observe(1, 100.0, 8, now=0) is False
    assert scale.count == 2


@given(
    st.integers(1, 6),
    st.integers(0, 10),
    st.lists(st.floats(0.1, 10), min_size=20, max_size=20),
    st.integers(1, 20),
)
def test_it_settles_within_its_bounds_on_any_steady_speeds(minimum, extra, rates, offered) -> None:
    scale = Scale(minimum=minimum, maximum=minimum + extra, gain_min=0.25)
    used = settled(scale, lambda workers: rates[workers], offered=max(offered, minimum))
    assert all(minimum <= count <= minimum + extra for count in used)
    assert len(set(used[-10:])) == 1, "steady speeds move nothing"


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_gain_needs_both_numbers_measured(count) -> None:
    assert Scale(minimum=1, maximum=9, gain_min=0.25, rates={4: 1.0}).gain(count) is None
