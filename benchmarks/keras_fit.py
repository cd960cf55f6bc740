"""The single-machine baseline: a plain Keras ``fit`` of the same network on one task.

Written for speed: data in memory, batches gathered by index, ten steps a dispatch, XLA off (it is slower on a
processor). The optimiser is Keras' own.
"""

from __future__ import annotations

import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.contestants import Setting
from benchmarks.network import keras_accuracy, keras_network, sum_of_losses
from benchmarks.orders import Score, Scored, Took, Train
from training.tasks import Dataset

STEPS_A_DISPATCH = 10
_FOREVER = 10**9


def body(setting: Setting, dataset: Dataset, connection: Connection) -> int:
    """Fit until the other end closes; the body of a process."""
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(setting.seed)
    model = keras_network(setting.seed)
    model.compile(
        optimizer=keras.optimizers.Adam(setting.learning_rate, epsilon=1e-8),
        loss=sum_of_losses(setting.batch_size),
        steps_per_execution=STEPS_A_DISPATCH,
        jit_compile=False,
    )
    images, labels = tf.constant(dataset.train.inputs), tf.constant(dataset.train.labels.astype(np.int32))

    def batch(indices: Any) -> tuple[Any, Any]:
        return tf.cast(tf.gather(images, indices), tf.float32) / 255, tf.gather(labels, indices)

    examples = len(dataset.train)
    data = tf.data.Dataset.range(examples).shuffle(examples, seed=setting.seed).repeat()
    data = data.batch(setting.batch_size, drop_remainder=True).map(batch).prefetch(STEPS_A_DISPATCH)
    obedient = _Obedience(connection, dataset)
    model.fit(data, steps_per_epoch=_FOREVER, epochs=1, verbose=0, callbacks=[obedient.callback(model)])
    return 0


class _Obedience:
    """Lets a running ``fit`` take orders between two dispatches."""

    def __init__(self, connection: Connection, dataset: Dataset) -> None:
        self._connection, self._dataset = connection, dataset
        self._left, self._started = 0, 0.0

    def callback(self, model: Any) -> Any:
        import keras

        def before(_batch: int, logs: Any = None) -> None:  # noqa: ARG001  # Keras passes it by name
            if not self._left:
                self._obey(model)

        def after(_batch: int, logs: Any = None) -> None:  # noqa: ARG001
            self._left -= STEPS_A_DISPATCH
            if not self._left:
                self._connection.send(Took(time.monotonic() - self._started))

        return keras.callbacks.LambdaCallback(on_train_batch_begin=before, on_train_batch_end=after)

    def _obey(self, model: Any) -> None:
        while True:
            try:
                order: Train | Score = self._connection.recv()
            except EOFError:
                raise SystemExit(0) from None
            if isinstance(order, Train):
                self._left, self._started = order.steps, time.monotonic()
                return
            self._connection.send(Scored(keras_accuracy(model, self._dataset)))
