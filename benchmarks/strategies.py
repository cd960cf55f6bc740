"""TensorFlow's own two strategies on the same network, the peers that our training is compared with.

Both are written at their best: ten steps a dispatch, data resident in every worker, the network in
TensorFlow's own operations, Adam as one operation a parameter. ``MultiWorkerMirroredStrategy`` adds up
gradients with collectives in a ring. ``ParameterServerStrategy`` keeps parameters and moments on one
parameter server; its workers apply their gradients whenever they have them, so six of its worker steps of
100 examples count as one step of 600.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.contestants import Setting
from benchmarks.orders import obey
from training.environment import drop_proxies
from training.members import Server
from training.noise import KeyedNoise
from training.tasks import Dataset, Tensor, mnist

STEPS_A_DISPATCH = 10
_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


def mirrored_body(
    setting: Setting, dataset: Dataset, addresses: list[str], number: int, connection: Connection
) -> int:
    """Be worker ``number`` of a ``MultiWorkerMirroredStrategy``; the body of a process."""
    strategy = joined_strategy(addresses, number)
    share, model = Share(setting, dataset, number), _Model(setting.seed)

    def replica_step(step: Tensor) -> None:
        images, labels = share.examples(step)
        noise = KeyedNoise(setting.seed, step, number * share.size, share.size)
        found = _gradients(model.values(), images, labels, noise, setting.batch_size)
        context = tf.distribute.get_replica_context()
        model.apply(context.all_reduce(tf.distribute.ReduceOp.SUM, found), setting.learning_rate)

    train = in_dispatches(strategy, replica_step)
    return obey(connection, train, functools.partial(_accuracy, model, dataset))


def joined_strategy(addresses: list[str], number: int) -> Any:
    """Join the ``MultiWorkerMirroredStrategy`` of the workers at ``addresses`` as worker ``number``."""
    cluster = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": number}}
    os.environ["TF_CONFIG"] = json.dumps(cluster)
    drop_proxies()
    return tf.distribute.MultiWorkerMirroredStrategy()


def in_dispatches(strategy: Any, replica_step: Callable[[Tensor], None]) -> Callable[[int], None]:
    """Return what trains so many steps, ten a dispatch; ``replica_step`` is one worker's part of a step."""

    def replica_steps(first_step: Tensor) -> None:
        for offset in range(STEPS_A_DISPATCH):
            replica_step(first_step + offset)

    dispatch = tf.function(lambda step: strategy.run(replica_steps, args=(step,)), autograph=False)
    first_steps = itertools.count(0, STEPS_A_DISPATCH)

    def train(steps: int) -> None:
        for _ in range(steps // STEPS_A_DISPATCH):
            dispatch(tf.constant(next(first_steps), tf.int64))

    return train


def parameter_server_body(
    setting: Setting, dataset: Dataset, servers: list[Server], connection: Connection
) -> int:
    """Coordinate a ``ParameterServerStrategy``; the body of a process."""
    drop_proxies()
    parameter_server, *workers = (server.address for server in servers)
    cluster = tf.train.ClusterSpec({"ps": [parameter_server], "worker": workers})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        model = _Model(setting.seed)
    share, scheduled = setting.batch_size // setting.workers, np.random.default_rng(setting.seed)
    resident = coordinator.create_per_worker_dataset(lambda: _endless(dataset, share, setting.seed))
    batches = iter(resident)

    def worker_steps(iterator: Any, seed: Tensor) -> None:
        for offset in range(STEPS_A_DISPATCH):
            images, labels = next(iterator)
            found = _gradients(
                model.values(), images, labels, KeyedNoise(setting.seed, seed + offset, 0, share), share
            )
            model.apply(found, setting.learning_rate)

    dispatch = tf.function(worker_steps, autograph=False)

    def train(steps: int) -> None:
        for _ in range(steps // STEPS_A_DISPATCH * setting.workers):
            seed = tf.constant(int(scheduled.integers(2**40)), tf.int64)
            coordinator.schedule(dispatch, args=(batches, seed))
        coordinator.join()

    return obey(connection, train, functools.partial(_accuracy, model, dataset))


class _Model:
    """Parameters, Adam's moments and the number of updates, in variables of the current scope."""

    def __init__(self, seed: int) -> None:
        first = mnist.initial_parameters(seed)
        self._values = {name: tf.Variable(value) for name, value in first.items()}
        self._moments = {
            name: (tf.Variable(tf.zeros(value.shape)), tf.Variable(tf.zeros(value.shape)))
            for name, value in first.items()
        }
        self._updates = tf.Variable(0.0)

    def values(self) -> dict[str, Tensor]:
        return {name: variable.read_value() for name, variable in self._values.items()}

    def apply(self, gradients: dict[str, Tensor], learning_rate: float) -> None:
        applied = self._updates.assign_add(1.0)
        powers = tf.pow(_BETA_1, applied), tf.pow(_BETA_2, applied)
        for name, gradient in gradients.items():
            value, (first, second) = self._values[name], self._moments[name]
            tf.raw_ops.ResourceApplyAdam(
                var=value.handle,
                m=first.handle,
                v=second.handle,
                beta1_power=powers[0],
                beta2_power=powers[1],
                lr=learning_rate,
                beta1=_BETA_1,
                beta2=_BETA_2,
                epsilon=_EPSILON,
                grad=gradient,
            )


class Share:
    """One worker's share of each batch, from data that is resident in its process.

    Attributes:
        size: Examples in the share.
    """

    def __init__(self, setting: Setting, dataset: Dataset, number: int) -> None:
        self.size, self._number = setting.batch_size // setting.workers, number
        self._images = tf.constant(dataset.train.inputs)
        self._labels = tf.constant(dataset.train.labels)

    def examples(self, step: Tensor) -> tuple[Tensor, Tensor]:
        """Return the images and labels of the share in a step's batch, as they are stored."""
        seeds = tf.stack([step, tf.constant(self._number, tf.int64)])
        chosen = tf.random.stateless_uniform([self.size], seeds, 0, len(self._labels), tf.int32)
        return tf.gather(self._images, chosen), tf.gather(self._labels, chosen)


def _gradients(
    values: dict[str, Tensor], images: Tensor, labels: Tensor, noise: KeyedNoise, averaged_over: int
) -> dict[str, Tensor]:
    with tf.GradientTape() as tape:
        tape.watch(values)
        loss = tf.reduce_sum(mnist.losses(mnist.predict(values, images, noise), labels)) / averaged_over
    return tape.gradient(loss, values)


def _endless(dataset: Dataset, share: int, seed: int) -> tf.data.Dataset:
    images, labels = tf.constant(dataset.train.inputs), tf.constant(dataset.train.labels)
    order = tf.data.Dataset.range(len(dataset.train)).shuffle(len(dataset.train), seed=seed).repeat()
    order = order.batch(share, drop_remainder=True)
    return order.map(lambda chosen: (tf.gather(images, chosen), tf.gather(labels, chosen))).prefetch(
        STEPS_A_DISPATCH
    )


def _accuracy(model: _Model, dataset: Dataset) -> float:
    values, total = {name: tf.constant(value.numpy()) for name, value in model.values().items()}, 0.0
    for first in range(0, len(dataset.test), 1000):
        part = slice(first, first + 1000)
        outputs = mnist.predict(values, tf.constant(dataset.test.inputs[part]), None)
        total += float(tf.reduce_sum(mnist.scores(outputs, tf.constant(dataset.test.labels[part]))))
    return total / len(dataset.test)
