"""How one training step is spread over the devices of a cluster.

Owns the computation of steps on a joined cluster: who computes which gradient, who holds the model, who
applies Adam. It starts from a ``TrainingState`` and gives one back at any time between two calls; joining the
cluster, choosing its members, recovering from faults and writing checkpoints are its callers' business. A
failed peer is an exception here (any ``tf.errors.OpError``), after which the object is of no more use.

Arranged as in 2016: ``master`` holds parameters and Adam's moments; every worker reads the parameters,
computes the gradient of its share of the batch and returns it; ``master`` adds them up and applies Adam.
Gradients are exact: each share is weighted by its number of examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from training.batches import ExampleOrder, shard_bounds
from training.clock import WorkerClock
from training.noise import KeyedNoise
from training.state import TrainingState
from training.tasks import Array, Examples, Task, Tensor

STEPS_A_CALL = 10
_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8  # Adam's defaults, https://arxiv.org/abs/1412.6980


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is to be computed, whatever the devices.

    Attributes:
        task: The model and its loss.
        train: The training examples.
        batch_size: Examples a step, over all workers together.
        learning_rate: Adam's step size.
        seed: Governs the order of examples and dropout.
        sync_period: Steps between two synchronisations; 1 is exact.
        withheld_worker: A worker whose gradients are left out, for tests of the exchange only.
    """

    task: Task
    train: Examples
    batch_size: int
    learning_rate: float
    seed: int
    sync_period: int = 1
    withheld_worker: int | None = None


@dataclass(frozen=True)
class Devices:
    """TensorFlow device names, e.g. ``/job:worker/replica:0/task:0/device:CPU:0``."""

    coordinator: str
    master: str
    workers: tuple[str, ...]


@dataclass(frozen=True)
class StepReports:
    """What a call of ``train`` saw.

    Attributes:
        losses: Mean loss an example of each step's batch, float ``[steps]``.
        accuracies: Mean score of each step's batch in its training pass, float ``[steps]``.
        busy_s: Seconds a step that each worker was computing, float ``[workers]``.
    """

    losses: npt.NDArray[np.float32]
    accuracies: npt.NDArray[np.float32]
    busy_s: npt.NDArray[np.float64]


class Arrangement:
    """Training on a set of devices, from a given state on."""

    def __init__(self, work: Work, devices: Devices, state: TrainingState) -> None:
        self._work, self._devices = work, devices
        self._order = ExampleOrder(len(work.train), work.batch_size, work.seed)
        self._bounds = shard_bounds(work.batch_size, len(devices.workers))
        self._step = state.step
        self._names = list(state.parameters)
        with tf.device(devices.master):
            self._variables = {
                name: tf.Variable(tf.constant(value)) for name, value in state.parameters.items()
            }
            self._slots = {name: tf.Variable(tf.constant(value)) for name, value in _slots_of(state).items()}
        self._clocks = [WorkerClock(device) for device in devices.workers]
        self._one_step = tf.function(self._spread_step).get_concrete_function(*self._step_signature())
        self._several: dict[int, Callable[..., Tensor]] = {}

    def train(self, steps: int) -> StepReports:
        """Train ``steps`` steps, ``STEPS_A_CALL`` at most, and return what each gave.

        Raises:
            tf.errors.OpError: A device failed or can't be reached.
        """
        if steps not in self._several:
            self._several[steps] = tf.function(functools.partial(self._steps, steps))
        indices = self._order.indices(self._step, steps)
        inputs = [self._work.train.inputs[indices[:, first:end]] for first, end in self._bounds]
        labels = [self._work.train.labels[indices[:, first:end]] for first, end in self._bounds]
        with tf.device(self._devices.coordinator):
            first_step = tf.constant(self._step, tf.int64)
            sums, busy_s = self._several[steps](first_step, inputs, labels)
        self._step += steps
        means = sums.numpy() / self._work.batch_size
        return StepReports(means[:, 0], means[:, 1], busy_s.numpy() / steps)

    def state(self) -> TrainingState:
        """Return the state after the last step.

        Raises:
            tf.errors.OpError: A device failed or can't be reached.
        """
        parameters: dict[str, Array] = {name: variable.numpy() for name, variable in self._variables.items()}
        slots: dict[str, Array] = {name: variable.numpy() for name, variable in self._slots.items()}
        return TrainingState(self._step, parameters, slots)

    def _step_signature(self) -> list[Tensor]:
        train, shards = self._work.train, [end - first for first, end in self._bounds]
        inputs = [tf.TensorSpec((shard, *train.inputs.shape[1:]), train.inputs.dtype) for shard in shards]
        labels = [tf.TensorSpec((shard, *train.labels.shape[1:]), train.labels.dtype) for shard in shards]
        return [tf.TensorSpec((), tf.int64), inputs, labels]

    def _steps(self, steps: int, first_step: Tensor, inputs: list[Tensor], labels: list[Tensor]) -> Tensor:
        # variables order the steps: each one's reads wait for the previous one's writes
        sums = [
            self._one_step(
                first_step + offset, [shard[offset] for shard in inputs], [shard[offset] for shard in labels]
            )
            for offset in range(steps)
        ]
        return tf.stack(sums), tf.stack([clock.total_s() for clock in self._clocks])

    def _spread_step(self, step: Tensor, inputs: list[Tensor], labels: list[Tensor]) -> Tensor:
        with tf.device(self._devices.master):
            parameters = {name: variable.read_value() for name, variable in self._variables.items()}
        shares: list[list[Tensor]] = []
        sums: list[Tensor] = []
        for worker, device in enumerate(self._devices.workers):
            with tf.device(device):
                # a worker-local copy each: without it every use of a parameter is a transfer of its own
                own = {name: tf.identity(value) for name, value in parameters.items()}
                # a sum over what arrived starts the clock: a bare control edge is a message of its own
                self._clocks[worker].start(after=[tf.reduce_sum(own[self._names[-1]])])
                gradients, worker_sums = self._share(worker, step, own, inputs[worker], labels[worker])
                self._clocks[worker].stop(after=gradients)
                sums.append(worker_sums)
                if worker != self._work.withheld_worker:
                    shares.append(gradients)
        with tf.device(self._devices.master):
            self._apply(step, [tf.add_n(list(same)) for same in zip(*shares, strict=True)])
            return tf.add_n(sums)

    def _share(
        self, worker: int, step: Tensor, parameters: dict[str, Tensor], inputs: Tensor, labels: Tensor
    ) -> tuple[list[Tensor], Tensor]:
        """Return the gradients and the sums of losses and scores of one worker's share of the batch."""
        task, (first, end) = self._work.task, self._bounds[worker]
        noise = KeyedNoise(self._work.seed, step, first, end - first)
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            outputs = task.predict(parameters, inputs, noise)
            losses = task.losses(outputs, labels)
            total = tf.reduce_sum(losses) / self._work.batch_size
        gradients = tape.gradient(total, [parameters[name] for name in self._names])
        return gradients, tf.stack([tf.reduce_sum(losses), tf.reduce_sum(task.scores(outputs, labels))])

    def _apply(self, step: Tensor, gradients: list[Tensor]) -> None:
        applied = tf.cast(step + 1, tf.float32)
        for name, gradient in zip(self._names, gradients, strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=self._variables[name].handle,
                m=self._slots[f"{name}/m"].handle,
                v=self._slots[f"{name}/v"].handle,
                beta1_power=tf.pow(_BETA_1, applied),
                beta2_power=tf.pow(_BETA_2, applied),
                lr=self._work.learning_rate,
                beta1=_BETA_1,
                beta2=_BETA_2,
                epsilon=_EPSILON,
                grad=gradient,
            )


def _slots_of(state: TrainingState) -> dict[str, Array]:
    if state.slots:
        return state.slots
    return {
        f"{name}/{slot}": np.zeros_like(value) for name, value in state.parameters.items() for slot in "mv"
    }
