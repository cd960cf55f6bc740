"""Which examples a step uses, and which worker takes which of them.

Pure: the same seed gives the same order whatever the number of workers, so a run may change its workers at
    any step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ExampleOrder:
    """The endless order of examples: one shuffle of all of them an epoch, one epoch after the other.

    Attributes:
        examples: Number of training examples.
        batch_size: Examples a step.
        seed: Seed of the shuffles.
    """

    examples: int
    batch_size: int
    seed: int

    def indices(self, first_step: int, steps: int) -> npt.NDArray[np.int32]:
        """Return the examples of ``steps`` steps from ``first_step`` on, int32 ``[steps, batch_size]``."""
        start, count = first_step * self.batch_size, steps * self.batch_size
        first_epoch, last_epoch = start // self.examples, (start + count - 1) // self.examples
        epochs = [self._shuffle(epoch) for epoch in range(first_epoch, last_epoch + 1)]
        offset = start - first_epoch * self.examples
        return np.concatenate(epochs)[offset : offset + count].reshape(steps, self.batch_size)

    def _shuffle(self, epoch: int) -> npt.NDArray[np.int32]:
        generator = np.random.default_rng([self.seed, epoch])
        return generator.permutation(self.examples).astype(np.int32)


def shard_bounds(batch_size: int, workers: int) -> list[tuple[int, int]]:
    """Return for each worker the positions ``[first, end)`` of its share of a batch, as equal as possible.

    600 examples over 7 workers are five shares of 86 and two of 85.
    """
    return [
        (worker * batch_size // workers, (worker + 1) * batch_size // workers) for worker in range(workers)
    ]
