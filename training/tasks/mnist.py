"""The 2016 write-up's network on MNIST: conv 5x5x8, pool, conv 5x5x16, pool, 784 -> 1024, dropout, 10.

Owns the network and how the images are split: 55,000 to train, 5,000 held out, 10,000 to test. The loss is
the mean cross-entropy an example, where the 2016 program printed the sum over the batch: divide its figures
by the batch size to compare. Where the files come from is ``training.data``'s business.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from training.data import load_mnist
from training.tasks import Array, DataRequest, Dataset, Examples, Noise, Tensor, truncated_normal

HELD_OUT = 5000
_SHAPES = {
    "conv1": (5, 5, 1, 8),
    "conv2": (5, 5, 8, 16),
    "dense": (7 * 7 * 16, 1024),
    "output": (1024, 10),
}


def load_data(request: DataRequest) -> Dataset:
    """Return MNIST: inputs uint8 ``[examples, 28, 28, 1]``, labels uint8 ``[examples]``.

    Source: Y. LeCun, C. Cortes, C. Burges, the MNIST database of handwritten digits; Creative Commons BY-SA
        3.0.

    Raises:
        DataError: No source has the data.
    """
    files = load_mnist(request)
    train = Examples(files.train_images[..., np.newaxis], files.train_labels)
    return Dataset(
        train=Examples(train.inputs[:-HELD_OUT], train.labels[:-HELD_OUT]),
        held_out=Examples(train.inputs[-HELD_OUT:], train.labels[-HELD_OUT:]),
        test=Examples(files.test_images[..., np.newaxis], files.test_labels),
        source=files.source,
    )


def initial_parameters(seed: int) -> dict[str, Array]:
    """Return weights from a truncated normal of standard deviation 0.1 and biases of 0.1."""
    generator = np.random.Generator(np.random.Philox(seed))
    parameters: dict[str, Array] = {}
    for layer, shape in _SHAPES.items():
        parameters[f"{layer}/weights"] = truncated_normal(generator, shape, 0.1)
        parameters[f"{layer}/biases"] = np.full(shape[-1], 0.1, np.float32)
    return parameters


def predict(parameters: Mapping[str, Tensor], inputs: Tensor, noise: Noise | None) -> Tensor:
    """Return logits ``[examples, 10]`` for images of pixels 0 to 255."""
    hidden = tf.cast(inputs, tf.float32) * (1 / 255)
    for layer in ("conv1", "conv2"):
        hidden = convolved(hidden, parameters[f"{layer}/weights"])
        # biases and relu after the pool give the same values on a quarter of the numbers
        hidden = tf.nn.max_pool2d(hidden, ksize=2, strides=2, padding="SAME")
        hidden = tf.nn.relu(tf.nn.bias_add(hidden, parameters[f"{layer}/biases"]))
    hidden = tf.reshape(hidden, [-1, 7 * 7 * 16])
    hidden = tf.nn.relu(hidden @ parameters["dense/weights"] + parameters["dense/biases"])
    if noise is not None:
        # half of the units are kept: one random bit a unit decides
        hidden = tf.where(noise.coin(layer=0, units=1024), hidden * 2, 0.0)
    return hidden @ parameters["output/weights"] + parameters["output/biases"]


def convolved(images: Tensor, weights: Tensor) -> Tensor:
    """Return the convolution of ``[examples, rows, columns, channels]`` with an odd kernel, SAME padding.

    Two neighbouring pixels count as one of twice the channels, which is the same memory, and the kernel is
    laid out for both: processors multiply 16 numbers at once, and 8 channels use half of that.
    """
    _, rows, columns, channels = images.shape
    height, width, _, kernels = weights.shape
    first = tf.pad(weights, [[0, 0], [0, 1], [0, 0], [0, 0]])
    second = tf.pad(weights, [[0, 0], [1, 0], [0, 0], [0, 0]])
    pair = tf.reshape(
        tf.stack([first, second], axis=3), [height, (width + 1) // 2, 2 * channels, 2 * kernels]
    )
    paired = tf.reshape(images, [-1, rows, columns // 2, 2 * channels])
    found = tf.nn.conv2d(paired, pair, strides=1, padding="SAME")
    return tf.reshape(found, [-1, rows, columns, kernels])


def losses(outputs: Tensor, labels: Tensor) -> Tensor:
    """Return the cross-entropy of each example."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(labels, tf.int32), outputs)


def scores(outputs: Tensor, labels: Tensor) -> Tensor:
    """Return 1 for each example whose most likely class is its label, else 0."""
    return tf.cast(tf.argmax(outputs, axis=1) == tf.cast(labels, tf.int64), tf.float32)
