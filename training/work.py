"""What an arrangement is given and what it reports: the words between it and its callers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from training.tasks import Examples, Task

STEPS_A_CALL = 10


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
