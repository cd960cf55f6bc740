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
    cluster = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": number}}
    os.environ["TF_CONFIG"] = json.dumps(cluster)
    drop_proxies()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    share = setting.batch_size // setting.workers
    step_of, model = _Steps(setting, dataset, share), _Model(setting.seed)

    def replica_steps(first_step: Tensor) -> None:
        context = tf.distribute.get_replica_context()
        for offset in range(STEPS_A_DISPATCH):
            gradients = step_of.gradients(model.values(), first_step + offset, number)
            model.apply(context.all_reduce(tf.distribute.ReduceOp.SUM, gradients), setting.learning_rate)

    dispatch = tf.function(lambda step: strategy.run(replica_steps, args=(step,)), autograph=False)
    first_steps = itertools.count(0, STEPS_A_DISPATCH)

    def train(steps: int) -> None:
        for _ in range(steps // STEPS_A_DISPATCH):
            dispatch(tf.constant(next(first_steps), tf.int64))

    return obey(connection, train, functools.partial(_accuracy, model, dataset))


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


class _Steps:
    """One worker's share of each batch, from data that is resident in its process."""

    def __init__(self, setting: Setting, dataset: Dataset, share: int) -> None:
        self._setting, self._share = setting, share
        self._images = tf.constant(dataset.train.inputs)
        self._labels = tf.constant(dataset.train.labels)

    def gradients(self, values: dict[str, Tensor], step: Tensor, number: int) -> dict[str, Tensor]:
        share, seeds = self._share, tf.stack([step, tf.constant(number, tf.int64)])
        chosen = tf.random.stateless_uniform([share], seeds, 0, len(self._labels), tf.int32)
        noise = KeyedNoise(self._setting.seed, step, number * share, share)
        images, labels = tf.gather(self._images, chosen), tf.gather(self._labels, chosen)
        return _gradients(values, images, labels, noise, self._setting.batch_size)


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
