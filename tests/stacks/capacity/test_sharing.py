from hypothesis import given
from hypothesis import strategies as st

from stacks.capacity.request import PodSize
from stacks.capacity.sharing import FLOORS, least, shared
from tests.stacks.capacity.asked import ask

wants = st.lists(st.tuples(st.integers(1, 500), st.integers(0, 1000)), min_size=1, max_size=4)


@given(wants=wants, extra=st.integers(0, 5000))
def test_everyone_gets_between_floor_and_want_and_all_together_no_more_than_there_is(wants, extra):
    floors = [floor for floor, _ in wants]
    wanted = [floor + more for floor, more in wants]
    given_out = shared(sum(floors) + extra, floors, wanted)
    assert sum(given_out) <= sum(floors) + extra
    assert all(low <= got <= high for low, got, high in zip(floors, given_out, wanted, strict=True))


def test_what_is_wanted_is_given_where_there_is_enough_and_evenly_less_where_not():
    assert shared(700, [50, 50], [200, 500]) == [200, 500]
    assert shared(5000, [50, 50], [200, 500]) == [200, 500]
    assert shared(400, [50, 50], [200, 500]) == [125, 275]
    assert shared(100, [50, 50], [200, 500]) == [50, 50]
    assert shared(10, [], []) == []


def test_a_floor_gives_way_to_settings_that_want_less():
    request = ask(sizes={"master": PodSize(20, 300)})
    assert least(request, "master") == PodSize(20, 300)
    assert least(ask(), "master") == FLOORS["master"]


def test_a_worker_is_given_what_its_setting_says_or_at_least_the_floor_of_a_share():
    assert least(ask(worker_cpu=1000), "worker").cpu_millicores == 1000
    assert least(ask(worker_cpu=100), "worker").cpu_millicores == 100
    assert least(ask(worker_cpu=0), "worker").cpu_millicores == FLOORS["worker"].cpu_millicores
    assert least(ask(), "worker").memory_mib == ask().sizes["worker"].memory_mib
