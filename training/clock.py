"""How long each worker computes, measured on the worker itself.

A lap is a difference of two readings of one machine's clock, so the machines' clocks need not agree.
"""

from __future__ import annotations

import tensorflow as tf

from training.tasks import Tensor


class WorkerClock:
    """Adds up, on one worker's device, the seconds between starts and stops inside a ``tf.function``.

    ``tf.function`` runs stateful operations without a resource, such as reading the time, strictly one after
    the other over all devices. Reading it inside a function that captures a variable of the worker orders it
    by that variable alone.
    """

    def __init__(self, device: str) -> None:
        with tf.device(device):
            self._started = tf.Variable(tf.constant(0.0, tf.float64))
            self._total_s = tf.Variable(tf.constant(0.0, tf.float64))
        self._device = device
        self._start, self._stop = tf.function(self._begin_lap), tf.function(self._end_lap)

    def start(self, after: list[Tensor]) -> None:
        """Begin a lap when ``after`` are computed: results of operations on the worker's own device."""
        with tf.device(self._device), tf.control_dependencies(_first_numbers(after)):
            self._start()

    def stop(self, after: list[Tensor]) -> None:
        """End the lap when ``after`` are computed."""
        with tf.device(self._device), tf.control_dependencies(_first_numbers(after)):
            self._stop()

    def total_s(self) -> Tensor:
        """Return the seconds of all laps since the last call, float64 scalar, and begin at zero again."""
        with tf.device(self._device):
            total_s = self._total_s.read_value()
            self._total_s.assign(0.0, read_value=False)
            return total_s

    def _begin_lap(self) -> None:
        self._started.assign(tf.timestamp(), read_value=False)

    def _end_lap(self) -> None:
        self._total_s.assign_add(tf.timestamp() - self._started.read_value(), read_value=False)


def _first_numbers(values: list[Tensor]) -> list[Tensor]:
    # a control edge from a function's call waits for its side effects only, not for what it returns, and one
    # from another device is a message of its own
    return [tf.reshape(value, [-1])[0] for value in values]
