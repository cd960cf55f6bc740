import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from training.batches import ExampleOrder, shard_bounds


@given(st.integers(1, 5000), st.integers(1, 200))
def test_shares_cover_the_batch_and_differ_by_one_example_at_most(batch_size: int, workers: int) -> None:
    bounds = shard_bounds(batch_size, workers)
    assert [first for first, _ in bounds] == [0, *(end for _, end in bounds[:-1])]
    assert bounds[-1][1] == batch_size
    sizes = [end - first for first, end in bounds]
    assert max(sizes) - min(sizes) <= 1


def test_600_over_7_workers_is_five_shares_of_86_and_two_of_85() -> None:
    assert sorted(end - first for first, end in shard_bounds(600, 7)) == [85, 85, 86, 86, 86, 86, 86]


@given(st.integers(1, 50), st.integers(1, 70), st.integers(0, 40), st.integers(1, 9))
def test_any_call_sees_the_same_order(examples: int, batch_size: int, first_step: int, steps: int) -> None:
    order = ExampleOrder(examples, batch_size, seed=3)
    together = order.indices(0, first_step + steps)
    assert (order.indices(first_step, steps) == together[first_step:]).all()


@given(st.integers(1, 50), st.integers(1, 70))
def test_every_epoch_uses_every_example_once(examples: int, batch_size: int) -> None:
    steps = 3 * examples
    drawn = ExampleOrder(examples, batch_size, seed=1).indices(0, steps).ravel()
    for epoch in range(len(drawn) // examples):
        assert (np.sort(drawn[epoch * examples : (epoch + 1) * examples]) == np.arange(examples)).all()


def test_another_seed_gives_another_order() -> None:
    first, second = (ExampleOrder(1000, 100, seed).indices(0, 2) for seed in (1, 2))
    assert (first != second).any()
