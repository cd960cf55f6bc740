"""The part of the model that one worker keeps, with Adam's moments for it.

Owns the variables and Adam's rule; which part that is and where its gradients come from is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from training.exchange import message_shape, packed_pieces, unpacked_pieces
from training.parcels import Parcel, Piece
from training.state import TrainingState
from training.tasks import Array, Tensor

_BETA_1, _BETA_2, _EPSILON = (
    0.9,
    0.999,
    1e-8,
)  # Adam's defaults, https://arxiv.org/abs/1412.6980


class ModelPart:
    """Variables for some parcels on one device.

    Args:
        device: Where they live.
        parcels: What they hold; its values come and go as one message a parcel.
        state: Their first values.
        learning_rate: Adam's step size.
    """

    def __init__(
        self,
        device: str,
        parcels: Sequence[Parcel],
        state: TrainingState,
        learning_rate: float,
    ) -> None:
        self._device, self._parcels, self._learning_rate = (
            device,
            parcels,
            learning_rate,
        )
        pieces = [piece for parcel in parcels for piece in parcel]
        with tf.device(device):
            self._values = [tf.Variable(_rows(state.parameters[piece.name], piece)) for piece in pieces]
            self._first, self._second = (
                [tf.Variable(_moment(state, piece, slot)) for piece in pieces] for slot in "mv"
            )
            # traced once and called for every step: building the graph is what a changed team waits for
            self._updated = tf.function(self._apply, autograph=False).get_concrete_function(
                tf.TensorSpec((), tf.int64),
                [tf.TensorSpec(message_shape(parcel)) for parcel in parcels],
            )

    def messages(self) -> list[Tensor]:
        """Return the values."""
        return self._messages(self._values)

    def kinds(self) -> list[list[Tensor]]:
        """Return values, first and second moments."""
        return [self._messages(variables) for variables in (self._values, self._first, self._second)]

    def assign(self, kinds: Sequence[Sequence[Tensor]]) -> None:
        """Replace values, first and second moments."""
        variables = self._values, self._first, self._second
        with tf.device(self._device):
            for same_kind, messages in zip(variables, kinds, strict=True):
                for variable, value in zip(same_kind, self._pieces(messages), strict=True):
                    variable.assign(value, read_value=False)

    def update(self, step: Tensor, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Apply Adam after ``step`` earlier steps and return the new values."""
        with tf.device(self._device):
            return self._updated(step, list(gradients))

    def _apply(self, step: Tensor, gradients: list[Tensor]) -> list[Tensor]:
        applied = tf.cast(step + 1, tf.float32)
        powers = tf.pow(_BETA_1, applied), tf.pow(_BETA_2, applied)
        variables = zip(self._values, self._first, self._second, strict=True)
        for (value, first, second), gradient in zip(variables, self._pieces(gradients), strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=value.handle,
                m=first.handle,
                v=second.handle,
                beta1_power=powers[0],
                beta2_power=powers[1],
                lr=self._learning_rate,
                beta1=_BETA_1,
                beta2=_BETA_2,
                epsilon=_EPSILON,
                grad=gradient,
            )
        return self.messages()

    def _pieces(self, messages: Sequence[Tensor]) -> list[Tensor]:
        pairs = zip(messages, self._parcels, strict=True)
        return [piece for message, parcel in pairs for piece in unpacked_pieces(message, parcel)]

    def _messages(self, variables: Sequence[tf.Variable]) -> list[Tensor]:
        with tf.device(self._device):
            values = iter([variable.read_value() for variable in variables])
            return [packed_pieces([next(values) for _ in parcel]) for parcel in self._parcels]


def _rows(value: Array, piece: Piece) -> Tensor:
    return tf.constant(np.reshape(value, (-1, *piece.shape[1:]))[piece.first : piece.end])


def _moment(state: TrainingState, piece: Piece, slot: str) -> Tensor:
    if not state.slots:
        return tf.zeros(piece.shape)
    return _rows(state.slots[f"{piece.name}/{slot}"], piece)
