"""How one training step is spread over the devices of a cluster.

Owns the computation of steps on a joined cluster: who computes which gradient, who keeps which part of the
model and applies Adam to it. It starts from a ``TrainingState`` and gives one back at any time between two
calls; joining the cluster, choosing its members, recovering from faults and writing checkpoints are its
callers' business. A failed peer is an exception here (any ``tf.errors.OpError``), after which the object is
of no more use.

Every worker computes the gradient of its share of the batch. With ``sync_period`` 1 the gradients are added
up by their owners (``training.exchange``), each of which keeps its part of the parameters and of Adam's
moments and sends the new values round: exact, and the same losses for any number of workers. With a longer
period each worker trains a model of its own, and after so many steps all take the mean of models and
moments. ``master`` adds up what is reported and puts the model together whenever its state is wanted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from training import cost_model
from training.batches import ExampleOrder, shard_bounds
from training.clock import WorkerClock
from training.exchange import Exchange, added, message_shape, packed, unpacked
from training.model_part import ModelPart
from training.noise import KeyedNoise
from training.parcels import one_each
from training.state import TrainingState
from training.tasks import Tensor
from training.work import STEPS_A_CALL, Devices, StepReports, Work

__all__ = ["STEPS_A_CALL", "Arrangement", "Devices", "StepReports", "Work"]

_FLOAT32_BYTES = 4


class Arrangement:
    """Training on a set of devices, from a given state on."""

    def __init__(self, work: Work, devices: Devices, state: TrainingState) -> None:
        self._work, self._devices, self._step = work, devices, state.step
        self._order = ExampleOrder(len(work.train), work.batch_size, work.seed)
        self._bounds = shard_bounds(work.batch_size, len(devices.workers))
        self._shapes = {name: tuple(np.shape(value)) for name, value in state.parameters.items()}
        self._is_sharded = work.sync_period == 1 and len(devices.workers) > 1
        kinds = {f"{name}{kind}": shape for kind in ("", "/m", "/v") for name, shape in self._shapes.items()}
        self._exchanged = self._shapes if self._is_sharded else kinds
        summed_mb = sum(math.prod(shape) for shape in self._exchanged.values()) * _FLOAT32_BYTES / 1e6
        groups = cost_model.groups(len(devices.workers), summed_mb)
        self._exchange = Exchange(devices.workers, groups, self._exchanged)
        self._layout = self._exchange.parcels if self._is_sharded else one_each(self._shapes)
        self._parts = [
            ModelPart(
                device,
                [self._exchange.parcel(worker)] if self._is_sharded else self._layout,
                state,
                work.learning_rate,
            )
            for worker, device in enumerate(devices.workers)
        ]
        self._share_of = {end - first: self._traced_share(end - first) for first, end in self._bounds}
        self._clocks = [WorkerClock(device) for device in devices.workers]
        self._several: dict[tuple[bool, ...], Callable[..., Tensor]] = {}
        self._collect = tf.function(self._collected, autograph=False)

    def train(self, steps: int) -> StepReports:
        """Train ``steps`` steps, ``STEPS_A_CALL`` at most, and return what each gave.

        Raises:
            tf.errors.OpError: A device failed or can't be reached.
        """
        period = self._work.sync_period
        syncs = tuple((self._step + offset + 1) % period == 0 for offset in range(steps))
        if syncs not in self._several:
            self._several[syncs] = tf.function(functools.partial(self._steps, syncs), autograph=False)
        indices = self._order.indices(self._step, steps)
        inputs = [self._work.train.inputs[indices[:, first:end]] for first, end in self._bounds]
        labels = [self._work.train.labels[indices[:, first:end]] for first, end in self._bounds]
        with tf.device(self._devices.coordinator):
            first_step = tf.constant(self._step, tf.int64)
            sums, busy_s = self._several[syncs](first_step, inputs, labels)
        self._step += steps
        means = sums.numpy() / self._work.batch_size
        return StepReports(means[:, 0], means[:, 1], busy_s.numpy() / steps)

    def state(self) -> TrainingState:
        """Return the state after the last step.

        Raises:
            tf.errors.OpError: A device failed or can't be reached.
        """
        kinds = [{name: value.numpy() for name, value in kind.items()} for kind in self._collect()]
        slots = {
            f"{name}/{slot}": kind[name] for slot, kind in zip("mv", kinds[1:], strict=True) for name in kind
        }
        return TrainingState(self._step, kinds[0], slots)

    def _steps(
        self,
        syncs: tuple[bool, ...],
        first_step: Tensor,
        inputs: list[Tensor],
        labels: list[Tensor],
    ) -> tuple[Tensor, Tensor]:
        sums: list[list[Tensor]] = [[] for _ in self._parts]
        batches = self._batches(inputs, labels)
        held = [part.messages() for part in self._parts]
        for offset, is_synchronised in enumerate(syncs):
            held, shares = self._one_step(first_step + offset, batches[offset], held)
            for worker, share in enumerate(shares):
                sums[worker].append(share)
            if is_synchronised and not self._is_sharded and len(held) > 1:
                held = self._take_means()
        reports: list[Tensor] = []
        for device, share in zip(self._devices.workers, sums, strict=True):
            with tf.device(device):
                reports.append(tf.stack(share))
        with tf.device(self._devices.master):
            return added(reports), tf.stack([clock.total_s() for clock in self._clocks])

    def _batches(self, inputs: list[Tensor], labels: list[Tensor]) -> list[list[tuple[Tensor, Tensor]]]:
        """Return for each step each worker's share, taken from what was sent to it once a call."""
        shares: list[list[tuple[Tensor, Tensor]]] = []
        for device, worker_inputs, worker_labels in zip(self._devices.workers, inputs, labels, strict=True):
            with tf.device(device):
                steps = (
                    tf.unstack(tf.identity(worker_inputs)),
                    tf.unstack(tf.identity(worker_labels)),
                )
                shares.append(list(zip(*steps, strict=True)))
        return [list(step) for step in zip(*shares, strict=True)]

    def _one_step(
        self,
        step: Tensor,
        batch: Sequence[tuple[Tensor, Tensor]],
        held: Sequence[Sequence[Tensor]],
    ) -> tuple[list[list[Tensor]], list[Tensor]]:
        """Add a step to the graph: from the values that the workers hold to the new ones and the reports."""
        values = self._exchange.spread([own for (own,) in held]) if self._is_sharded else held
        found: list[list[Tensor]] = []
        reports: list[Tensor] = []
        for worker, device in enumerate(self._devices.workers):
            with tf.device(device):
                # a number of each message that arrived starts the clock: a bare control edge is a message too
                self._clocks[worker].start(after=[tf.reshape(message, [-1])[0] for message in values[worker]])
                gradients, report = self._share(worker, step, values[worker], *batch[worker])
                self._clocks[worker].stop(after=gradients)
                found.append(gradients)
                reports.append(report)
        if self._is_sharded:
            found = [[total] for total in self._exchange.sums(found)]
        return [part.update(step, own) for part, own in zip(self._parts, found, strict=True)], reports

    def _share(
        self,
        worker: int,
        step: Tensor,
        values: Sequence[Tensor],
        inputs: Tensor,
        labels: Tensor,
    ) -> tuple[list[Tensor], Tensor]:
        """Return a worker's gradients, as messages, and the sums of its losses and scores."""
        first, end = self._bounds[worker]
        place = tf.constant(first, tf.int64)
        gradients, report = self._share_of[end - first](step, place, list(values), inputs, labels)
        if worker == self._work.withheld_worker:
            gradients = [tf.zeros_like(gradient) for gradient in gradients]
        return gradients, report

    def _traced_share(self, count: int) -> Callable[..., tuple[list[Tensor], Tensor]]:
        """Trace the computation of a share of ``count`` examples, once for all steps and workers."""
        train = self._work.train
        return tf.function(
            functools.partial(self._computed_share, count), autograph=False
        ).get_concrete_function(
            tf.TensorSpec((), tf.int64),
            tf.TensorSpec((), tf.int64),
            [tf.TensorSpec(message_shape(parcel)) for parcel in self._layout],
            tf.TensorSpec((count, *train.inputs.shape[1:]), train.inputs.dtype),
            tf.TensorSpec((count, *train.labels.shape[1:]), train.labels.dtype),
        )

    def _computed_share(
        self,
        count: int,
        step: Tensor,
        first: Tensor,
        values: list[Tensor],
        inputs: Tensor,
        labels: Tensor,
    ) -> tuple[list[Tensor], Tensor]:
        task, noise = self._work.task, KeyedNoise(self._work.seed, step, first, count)
        parameters = unpacked(values, self._layout, self._shapes)
        averaged_over = self._work.batch_size if self._is_sharded else count
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            outputs = task.predict(parameters, inputs, noise)
            losses = task.losses(outputs, labels)
            total = tf.reduce_sum(losses) / averaged_over
        gradients = packed(tape.gradient(total, parameters), self._layout)
        return gradients, tf.stack([tf.reduce_sum(losses), tf.reduce_sum(task.scores(outputs, labels))])

    def _take_means(self) -> list[list[Tensor]]:
        """Replace every worker's model, Adam's moments included, by the mean of all; return the new values.

        Moments that stay each worker's own cost accuracy: they belong to a model that is gone.
        """
        spread = self._exchange.spread(self._means())
        for part, device, messages in zip(self._parts, self._devices.workers, spread, strict=True):
            with tf.device(device):
                part.assign(self._kinds_in(messages))
        return [part.messages() for part in self._parts]

    def _means(self) -> list[Tensor]:
        """Return for each worker the mean of the parcel of model and moments that it owns."""
        messages: list[list[Tensor]] = []
        for part, device in zip(self._parts, self._devices.workers, strict=True):
            with tf.device(device):
                values = [message for kind in part.kinds() for message in kind]
                named = unpacked(values, one_each(self._exchanged), self._exchanged)
                messages.append(packed(named, self._exchange.parcels))
        means: list[Tensor] = []
        for device, total in zip(self._devices.workers, self._exchange.sums(messages), strict=True):
            with tf.device(device):
                means.append(total / len(messages))
        return means

    def _kinds_in(self, messages: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return values, first and second moments, a message a parameter, from the means' messages."""
        named = unpacked(messages, self._exchange.parcels, self._exchanged)
        values, count = packed(named, one_each(self._exchanged)), len(self._shapes)
        return [values[first : first + count] for first in range(0, len(values), count)]

    def _collected(self) -> list[dict[str, Tensor]]:
        """Put parameters, first and second moments together on the master."""
        if self._is_sharded:
            parcels, kinds = (
                self._exchange.parcels,
                zip(*[part.kinds() for part in self._parts], strict=True),
            )
            owned = [[own for (own,) in kind][: len(parcels)] for kind in kinds]
            with tf.device(self._devices.master):
                return [unpacked(kind, parcels, self._shapes) for kind in owned]
        means = self._means()[: len(self._exchange.parcels)]
        with tf.device(self._devices.master):
            return [unpacked(kind, self._layout, self._shapes) for kind in self._kinds_in(means)]
