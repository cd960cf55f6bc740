import numpy as np
import pytest
import tensorflow as tf

from training.noise import KeyedNoise


def drawn(
    first: int, count: int, units: int = 1024, seed: int = 1, step: int = 5, layer: int = 0
) -> np.ndarray:
    return KeyedNoise(seed, tf.constant(step, tf.int64), first, count).uniform(layer, units).numpy()


@pytest.mark.parametrize("units", [1, 10, 1024])
@pytest.mark.parametrize(("first", "count"), [(0, 600), (0, 100), (86, 85), (599, 1)])
def test_a_share_draws_what_the_whole_batch_would_have_drawn(units: int, first: int, count: int) -> None:
    assert (drawn(first, count, units) == drawn(0, 600, units)[first : first + count]).all()


def test_numbers_are_uniform_over_zero_to_one() -> None:
    values = drawn(0, 600)
    assert values.min() >= 0
    assert values.max() < 1
    counts, _ = np.histogram(values, bins=10, range=(0, 1))
    assert counts / values.size == pytest.approx(0.1, abs=0.005)


@pytest.mark.parametrize("change", [{"seed": 2}, {"step": 6}, {"layer": 1}])
def test_seed_step_and_layer_each_give_other_numbers(change: dict[str, int]) -> None:
    assert (drawn(0, 10) == drawn(0, 10, **change)).mean() < 0.01


@pytest.mark.parametrize("units", [1, 33, 1024])
@pytest.mark.parametrize(("first", "count"), [(0, 100), (86, 85)])
def test_coins_of_a_share_are_those_of_the_whole_batch(units: int, first: int, count: int) -> None:
    def coins(first: int, count: int) -> np.ndarray:
        return KeyedNoise(1, tf.constant(5, tf.int64), first, count).coin(0, units).numpy()

    assert (coins(first, count) == coins(0, 600)[first : first + count]).all()


def test_half_of_the_coins_are_true_at_every_unit() -> None:
    coins = KeyedNoise(1, tf.constant(5, tf.int64), 0, 600).coin(0, 1024).numpy()
    assert coins.mean() == pytest.approx(0.5, abs=0.005)
    assert coins.mean(axis=0) == pytest.approx(0.5, abs=0.12)
