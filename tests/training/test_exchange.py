import functools
import operator

import numpy as np
import pytest
import tensorflow as tf

from training.exchange import Exchange, added, packed, unpacked
from training.parcels import cut

SHAPES = {"large": (17, 4), "small": (3,), "number": ()}
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def tensors(seed: int) -> dict[str, tf.Tensor]:
    generator = np.random.default_rng(seed)
    return {name: tf.constant(generator.standard_normal(shape), tf.float32) for name, shape in SHAPES.items()}


@pytest.mark.parametrize("parcels", [1, 2, 3, 7])
def test_what_is_packed_comes_out_again(parcels: int) -> None:
    layout, model = cut(SHAPES, parcels), tensors(0)
    again = unpacked(packed(model, layout), layout, SHAPES)
    assert {name: value.numpy().tolist() for name, value in again.items()} == {
        name: value.numpy().tolist() for name, value in model.items()
    }


@pytest.mark.parametrize(("workers", "groups"), [(1, 1), (2, 1), (2, 2), (6, 1), (6, 2), (6, 3), (7, 1)])
def test_every_worker_gets_the_sum_over_all(workers: int, groups: int) -> None:
    exchange = Exchange([CPU] * workers, groups, SHAPES)
    models = [tensors(worker) for worker in range(workers)]
    sums = exchange.sums([packed(model, exchange.parcels) for model in models])
    for messages in exchange.spread(sums):
        for name, value in unpacked(messages, exchange.parcels, SHAPES).items():
            expected = sum(model[name].numpy().astype(np.float64) for model in models)
            assert value.numpy() == pytest.approx(expected, abs=1e-5)


def test_owners_of_one_parcel_get_the_same_bits() -> None:
    exchange = Exchange([CPU] * 6, 3, SHAPES)
    sums = exchange.sums([packed(tensors(worker), exchange.parcels) for worker in range(6)])
    for first, again in ((0, 2), (2, 4), (1, 3)):
        assert (sums[first].numpy() == sums[again].numpy()).all()


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_sums_are_taken_from_the_first_to_the_last(count: int) -> None:
    values = [np.float32(10.0) ** np.arange(worker, worker + 6, dtype=np.float32) for worker in range(count)]
    values = [np.reshape(value, (2, 3)) / np.float32(3) for value in values]
    expected = functools.reduce(operator.add, values)
    in_a_graph = tf.function(added, autograph=False)
    for _ in range(20):
        assert (in_a_graph([tf.constant(value) for value in values]).numpy() == expected).all()


def test_groups_that_do_not_divide_the_workers_are_refused() -> None:
    with pytest.raises(ValueError, match="groups=4 doesn't divide 6 workers"):
        Exchange([CPU] * 6, 4, SHAPES)
