from hypothesis import given
from hypothesis import strategies as st

from stacks.capacity.sharing import NEEDS, Need, shared

needs_of_pods = st.lists(
    st.builds(lambda floor, more: Need(floor, floor + more), st.integers(1, 500), st.integers(1, 1000)),
    min_size=1,
    max_size=4,
)


@given(needs=needs_of_pods, extra=st.integers(0, 10_000), is_generous=st.booleans())
def test_nobody_gets_less_than_the_floor_and_all_together_no_more_than_there_is(needs, extra, is_generous):
    free = sum(need.floor for need in needs) + extra
    given_out = shared(free, needs, is_generous=is_generous)
    assert sum(given_out) <= free
    assert all(amount >= need.floor for amount, need in zip(given_out, needs, strict=True))
    if not is_generous:
        assert all(amount <= need.usual for amount, need in zip(given_out, needs, strict=True))


def test_the_usual_amount_is_given_where_there_is_enough():
    needs = [Need(50, 200), Need(50, 500)]
    assert shared(700, needs, is_generous=False) == [200, 500]
    assert shared(5000, needs, is_generous=False) == [200, 500]
    assert shared(1400, needs, is_generous=True) == [400, 1000]
    assert shared(100, needs, is_generous=True) == [50, 50]


def test_generosity_has_a_limit():
    assert shared(1_000_000, [Need(50, 200)], is_generous=True) == [800]


def test_every_kind_of_pod_has_a_floor_below_its_usual_size():
    assert set(NEEDS) == {"interface", "training", "master", "worker"}
    for needs in NEEDS.values():
        assert 0 < needs.cpu.floor < needs.cpu.usual
        assert 0 < needs.memory.floor < needs.memory.usual
