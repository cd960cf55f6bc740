"""Random numbers keyed by seed, step, layer and the example's place in the global batch.

A worker draws just the numbers of its own share of the batch, and they are the ones a single worker would
have drawn for the same examples: dropout's masks don't depend on the number of workers.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from training.tasks import Tensor

_PHILOX = 1  # tf.random.Algorithm.PHILOX
_NUMBERS_A_BLOCK = 4  # the counter advances by one for every four 32-bit numbers
_BITS_A_WORD = 32


class KeyedNoise:
    """The ``Noise`` of the examples at places ``first`` to ``first + count`` of one step's batch."""

    def __init__(self, seed: int, step: Tensor, first: Tensor | int, count: int) -> None:
        self._seed, self._step, self._first, self._count = seed, step, first, count

    def uniform(self, layer: int, units: int) -> Tensor:
        """Return float32 ``[count, units]``, uniform over [0, 1), a stream of its own a layer."""
        # 24 bits are what a float32 holds exactly, so that 1 is never reached
        high_bits = tf.bitwise.right_shift(
            tf.bitcast(self._words(layer, units), tf.uint32), tf.constant(8, tf.uint32)
        )
        return tf.cast(high_bits, tf.float32) * 2.0**-24

    def coin(self, layer: int, units: int) -> Tensor:
        """Return bool ``[count, units]``, true half of the time, a stream of its own a layer.

        Takes one random bit a unit where ``uniform`` takes 32.
        """
        words = self._words(layer, -(-units // _BITS_A_WORD))
        masks = tf.constant([1 << bit for bit in range(_BITS_A_WORD - 1)] + [-(1 << 31)], tf.int32)
        bits = tf.bitwise.bitwise_and(words[:, :, tf.newaxis], masks) != 0
        return tf.reshape(bits, [self._count, -1])[:, :units]

    def _words(self, layer: int, units: int) -> Tensor:
        """Return int32 ``[count, units]`` of random bits."""
        blocks = -(-units // _NUMBERS_A_BLOCK)
        key = np.random.SeedSequence([self._seed, layer]).generate_state(1, np.uint64)
        start = tf.cast(self._first, tf.uint64) * tf.constant(blocks, tf.uint64)
        bits = tf.raw_ops.StatelessRandomUniformFullIntV2(
            shape=[self._count, blocks * _NUMBERS_A_BLOCK],
            key=tf.constant(key),
            counter=tf.stack([start, tf.cast(self._step, tf.uint64)]),
            alg=_PHILOX,
            dtype=tf.int32,
        )
        return bits[:, :units]
