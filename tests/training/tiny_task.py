"""A second task, small and quick: which of four directions a point lies in. Its data needs no file."""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from training.tasks import Array, DataRequest, Dataset, Examples, Noise, Tensor, truncated_normal


def load_data(_request: DataRequest) -> Dataset:
    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((3000, 8)).astype(np.float32)
    labels = (inputs @ generator.standard_normal((8, 4))).argmax(axis=1).astype(np.uint8)
    train, held_out, test = (
        Examples(inputs[part], labels[part]) for part in np.split(np.arange(3000), [2000, 2500])
    )
    return Dataset(train, held_out, test, source="synthetic points")


def initial_parameters(seed: int) -> dict[str, Array]:
    generator = np.random.default_rng(seed)
    return {"in": truncated_normal(generator, (8, 32), 0.3), "out": truncated_normal(generator, (32, 4), 0.3)}


def predict(parameters: Mapping[str, Tensor], inputs: Tensor, noise: Noise | None) -> Tensor:
    hidden = tf.nn.relu(tf.cast(inputs, tf.float32) @ parameters["in"])
    if noise is not None:
        hidden = tf.where(noise.uniform(layer=0, units=32) < 0.8, hidden / 0.8, 0.0)
    return hidden @ parameters["out"]


def losses(outputs: Tensor, labels: Tensor) -> Tensor:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(labels, tf.int32), outputs)


def scores(outputs: Tensor, labels: Tensor) -> Tensor:
    return tf.cast(tf.argmax(outputs, axis=1) == tf.cast(labels, tf.int64), tf.float32)
