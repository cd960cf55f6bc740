"""The 2016 network in Keras layers, with the very weights that our own task starts from."""

from __future__ import annotations

from typing import Any

import numpy as np

from training.tasks import Dataset, mnist


def keras_network(seed: int) -> Any:
    """Return the network, 817,514 parameters, for float32 images ``[examples, 28, 28, 1]`` in [0, 1]."""
    import keras

    network = keras.Sequential(
        [
            keras.layers.Input((28, 28, 1)),
            keras.layers.Conv2D(8, 5, padding="same", activation="relu"),
            keras.layers.MaxPool2D(),
            keras.layers.Conv2D(16, 5, padding="same", activation="relu"),
            keras.layers.MaxPool2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(10),
        ]
    )
    network.set_weights(list(mnist.initial_parameters(seed).values()))
    return network


def sum_of_losses(batch_size: int) -> Any:
    """Return the loss: cross-entropy of a batch or of a share of it, as a mean over the whole batch."""
    import keras

    def loss(labels: Any, logits: Any) -> Any:
        found = keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)
        return keras.ops.sum(found) / batch_size

    return loss


def keras_accuracy(model: Any, dataset: Dataset) -> float:
    """Return the share of the test images that a Keras model classifies right."""
    images = dataset.test.inputs.astype(np.float32) / 255
    found = [
        np.asarray(model(images[first : first + 1000], training=False)).argmax(axis=1)
        for first in range(0, len(images), 1000)
    ]
    return float((np.concatenate(found) == dataset.test.labels).mean())
