import numpy as np
import pytest
import tensorflow as tf

from training.noise import KeyedNoise
from training.tasks import DataRequest, load_task, mnist


def test_the_network_is_the_write_ups() -> None:
    parameters = mnist.initial_parameters(1)
    assert {name: value.shape for name, value in parameters.items()} == {
        "conv1/weights": (5, 5, 1, 8),
        "conv1/biases": (8,),
        "conv2/weights": (5, 5, 8, 16),
        "conv2/biases": (16,),
        "dense/weights": (784, 1024),
        "dense/biases": (1024,),
        "output/weights": (1024, 10),
        "output/biases": (10,),
    }
    assert sum(value.size for value in parameters.values()) == 817_514
    assert all(value.dtype == np.float32 for value in parameters.values())


def test_weights_are_truncated_normal_and_biases_a_tenth() -> None:
    parameters = mnist.initial_parameters(1)
    weights = parameters["dense/weights"]
    assert np.abs(weights).max() <= 0.2
    # a normal cut at two deviations keeps 0.88 of its deviation
    assert weights.std() == pytest.approx(0.088, abs=0.001)
    assert (parameters["dense/biases"] == np.float32(0.1)).all()


def test_one_seed_gives_one_network() -> None:
    first, again, other = (mnist.initial_parameters(seed)["dense/weights"] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_predictions_agree_with_a_plain_computation_by_hand() -> None:
    parameters = mnist.initial_parameters(1)
    images = np.random.default_rng(0).integers(0, 256, (2, 28, 28, 1), np.uint8)
    hidden = images.astype(np.float64) / 255
    for layer in ("conv1", "conv2"):
        hidden = _pooled(
            np.maximum(_convolved(hidden, parameters[f"{layer}/weights"]) + parameters[f"{layer}/biases"], 0)
        )
    hidden = np.maximum(hidden.reshape(2, 784) @ parameters["dense/weights"] + parameters["dense/biases"], 0)
    expected = hidden @ parameters["output/weights"] + parameters["output/biases"]
    assert mnist.predict(parameters, images, None).numpy() == pytest.approx(expected, abs=1e-4)


def _convolved(images: np.ndarray, weights: np.ndarray) -> np.ndarray:
    padded = np.pad(images, ((0, 0), (2, 2), (2, 2), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (5, 5), axis=(1, 2))
    return np.einsum("nhwcij,ijcd->nhwd", windows, weights)


def _pooled(images: np.ndarray) -> np.ndarray:
    count, height, width, channels = images.shape
    return images.reshape(count, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))


def test_dropout_drops_half_of_the_units_and_doubles_the_rest() -> None:
    parameters = mnist.initial_parameters(1)
    identity = {"output/weights": np.eye(1024, dtype=np.float32), "output/biases": np.zeros(1024, np.float32)}
    images = np.full((50, 28, 28, 1), 200, np.uint8)
    kept = mnist.predict(parameters | identity, images, None).numpy()
    noise = KeyedNoise(1, tf.constant(0, tf.int64), 0, 50)
    dropped = mnist.predict(parameters | identity, images, noise).numpy()
    active = kept > 0
    assert (dropped[active] == 0).mean() == pytest.approx(0.5, abs=0.02)
    assert dropped[dropped > 0] == pytest.approx(2 * kept[dropped > 0], rel=1e-5)


def test_losses_and_scores_are_an_example_each() -> None:
    outputs = tf.constant([[0.0, 10.0], [3.0, 0.0]])
    labels = np.array([1, 1], np.uint8)
    assert mnist.losses(outputs, labels).numpy() == pytest.approx([4.54e-5, 3.0486], abs=1e-3)
    assert mnist.scores(outputs, labels).numpy().tolist() == [1, 0]


def test_the_splits_are_the_write_ups() -> None:
    dataset = load_task("training.tasks.mnist").load_data(DataRequest())
    assert [len(dataset.train), len(dataset.held_out), len(dataset.test)] == [55000, 5000, 10000]
    assert dataset.train.inputs.shape == (55000, 28, 28, 1)
    assert dataset.train.inputs.dtype == np.uint8
