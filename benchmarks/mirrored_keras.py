"""``MultiWorkerMirroredStrategy`` as its users write it: Keras layers, Keras' Adam and a training loop.

It is what ``benchmarks.strategies`` does with this project's own network, with everything that a Keras user
would take from Keras. The loop is written out because Keras 3 has no ``fit`` over several workers. All
workers drop the same units: Keras' seed is a variable that the strategy mirrors.
"""

from __future__ import annotations

import functools
from multiprocessing.connection import Connection

import tensorflow as tf

from benchmarks.contestants import Setting
from benchmarks.network import keras_accuracy, keras_network, sum_of_losses
from benchmarks.orders import obey
from benchmarks.strategies import Share, in_dispatches, joined_strategy
from training.tasks import Dataset, Tensor


def body(
    setting: Setting, dataset: Dataset, addresses: list[str], number: int, connection: Connection
) -> int:
    """Be worker ``number`` of the strategy; the body of a process."""
    import keras

    strategy, share = joined_strategy(addresses, number), Share(setting, dataset, number)
    keras.utils.set_random_seed(setting.seed)
    with strategy.scope():
        model = keras_network(setting.seed)
        optimizer = keras.optimizers.Adam(setting.learning_rate, epsilon=1e-8)
        optimizer.build(model.trainable_variables)
    loss_of = sum_of_losses(setting.batch_size)

    def replica_step(step: Tensor) -> None:
        images, labels = share.examples(step)
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(tf.cast(images, tf.float32) / 255, training=True))
        # Keras' optimiser adds the gradients of all workers up
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )

    accuracy = functools.partial(keras_accuracy, model, dataset)
    return obey(connection, in_dispatches(strategy, replica_step), accuracy)
