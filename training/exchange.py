"""How workers add up tensors over the network: a grid of workers that together hold the sums.

Owns who sends what to whom and how parameters become messages; nothing of what is computed around it.
Workers stand in a grid of ``groups`` rows. The members of a group own one parcel of the model each
(``training.parcels``); the owners of the same parcel in all groups exchange their sums. A receive costs a
worker about as much as a third of a megabyte does, so one tensor a pair and phase is sent, and the grid keeps
the receives of a worker near three times the square root of half the number of workers, where a ring takes
twice their number.
Used inside a ``tf.function``: TensorFlow makes one message of a tensor for each device that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tensorflow as tf

from training.parcels import Parcel, Piece, Shapes, cut
from training.tasks import Tensor


class Exchange:
    """Sums over the workers of a cluster, as messages of one parcel each.

    Args:
        devices: The workers' devices; group after group.
        groups: Number of groups; divides the number of workers.
        shapes: Shapes of the tensors to be summed, by name.
    """

    def __init__(self, devices: Sequence[str], groups: int, shapes: Shapes) -> None:
        if len(devices) % groups:
            raise ValueError(f"groups={groups} doesn't divide {len(devices)} workers")
        self._devices, self._members = devices, len(devices) // groups
        self.parcels = cut(shapes, self._members)

    def parcel(self, worker: int) -> Parcel:
        """Return what a worker owns; the first ``len(parcels)`` workers own all of it."""
        return self.parcels[worker % self._members]

    def sums(self, messages: Sequence[Sequence[Tensor]]) -> list[Tensor]:
        """Add up the messages, one a parcel, of all workers; return for each worker the sum that it owns.

        All owners of a parcel get the same bits: they add the same numbers in the same order.
        """
        in_groups = [self._sum_in_group(owner, messages) for owner in range(len(self._devices))]
        totals: list[Tensor] = []
        for owner, device in enumerate(self._devices):
            with tf.device(device):
                totals.append(added(in_groups[owner % self._members :: self._members]))
        return totals

    def spread(self, owned: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return for each worker the messages of all parcels, from what each worker owns."""
        groups = [owned[first : first + self._members] for first in range(0, len(owned), self._members)]
        return [list(groups[worker // self._members]) for worker in range(len(owned))]

    def _sum_in_group(self, owner: int, messages: Sequence[Sequence[Tensor]]) -> Tensor:
        parcel = owner % self._members
        first = owner - parcel
        with tf.device(self._devices[owner]):
            return added([messages[sender][parcel] for sender in range(first, first + self._members)])


def packed(tensors: Mapping[str, Tensor], parcels: Sequence[Parcel]) -> list[Tensor]:
    """Return one message a parcel: the piece itself where it is the only one, else all of them flat."""
    return [packed_pieces([_rows(tensors[piece.name], piece) for piece in parcel]) for parcel in parcels]


def packed_pieces(pieces: Sequence[Tensor]) -> Tensor:
    """Return the message of a parcel whose pieces are given."""
    if len(pieces) == 1:
        return pieces[0]
    return tf.concat([tf.reshape(piece, [-1]) for piece in pieces], axis=0)


def unpacked_pieces(message: Tensor, parcel: Parcel) -> list[Tensor]:
    """Return the pieces in a message."""
    if len(parcel) == 1:
        return [message]
    parts = tf.split(message, [piece.size for piece in parcel])
    return [tf.reshape(part, piece.shape) for part, piece in zip(parts, parcel, strict=True)]


def unpacked(messages: Sequence[Tensor], parcels: Sequence[Parcel], shapes: Shapes) -> dict[str, Tensor]:
    """Return the tensors that the messages of all parcels hold."""
    found: dict[str, list[Tensor]] = {name: [] for name in shapes}
    for message, parcel in zip(messages, parcels, strict=True):
        for piece, value in zip(parcel, unpacked_pieces(message, parcel), strict=True):
            found[piece.name].append(value)
    return {name: tf.reshape(_joined(values), shapes[name]) for name, values in found.items()}


def message_shape(parcel: Parcel) -> tuple[int, ...]:
    """Return the shape of a parcel's message."""
    return parcel[0].shape if len(parcel) == 1 else (sum(piece.size for piece in parcel),)


def _rows(tensor: Tensor, piece: Piece) -> Tensor:
    whole = tf.reshape(tensor, [1]) if tensor.shape.rank == 0 else tensor
    # rows of the first axis are a view, not a copy
    return whole if whole.shape == piece.shape else whole[piece.first : piece.end]


def _joined(values: Sequence[Tensor]) -> Tensor:
    return values[0] if len(values) == 1 else tf.concat(values, axis=0)


def added(values: Sequence[Tensor]) -> Tensor:
    """Return the sum from the first to the last, the same to the last bit in every run.

    TensorFlow's graph optimiser makes ``tf.add_n`` of additions of one shape, which begins with whichever
    input's memory it may reuse: another order, another rounding. Additions of alternating shapes it leaves.
    """
    total = values[0]
    for number, value in enumerate(values[1:]):
        shape = [-1] if number % 2 else [1, -1]
        total = tf.reshape(total, shape) + tf.reshape(value, shape)
    return tf.reshape(total, values[0].shape)
