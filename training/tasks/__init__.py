"""What a run trains: a task is a module with the five functions of ``Task``, named by its module path.

Owns the protocol, the data containers and the keyed random numbers that a task uses. A new task is one
module; see ``training.tasks.mnist`` for the first. How the computation is spread over workers is not a task's
business.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Tensor = Any  # TensorFlow ships no types
TASK_FUNCTIONS = ("load_data", "initial_parameters", "predict", "losses", "scores")


class TaskError(ValueError):
    """A task can't be loaded, or lacks a function of the protocol."""


@dataclass(frozen=True)
class Examples:
    """Examples of one split.

    Attributes:
        inputs: Array ``[examples, ...]`` of any dtype; the task's ``predict`` converts what it is given.
        labels: Array ``[examples, ...]``.
    """

    inputs: Array
    labels: Array

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Dataset:
    """All examples of a task and, in words, where they came from."""

    train: Examples
    held_out: Examples
    test: Examples
    source: str


@dataclass(frozen=True)
class DataRequest:
    """Where a task may find its data: the user's file, the cache's folder, a mirror; each may be empty."""

    data_file: str = ""
    data_dir: str = ""
    mirror: str = ""


class Noise(Protocol):
    """Random numbers for one shard of one step's batch, the same for an example whatever the sharding."""

    def uniform(self, layer: int, units: int) -> Tensor:
        """Return float32 ``[examples of the shard, units]``, uniform over [0, 1), another for each layer."""
        ...

    def coin(self, layer: int, units: int) -> Tensor:
        """Return bool ``[examples of the shard, units]``, true half of the time, another for each layer."""
        ...


class Task(Protocol):
    """The functions of a task's module."""

    def load_data(self, request: DataRequest) -> Dataset:
        """Read all examples; raise ``ValueError`` with a plain sentence where that is not possible."""
        ...

    def initial_parameters(self, seed: int) -> dict[str, Array]:
        """Return the initial weights, float32, by name; the same ones for the same seed."""
        ...

    def predict(self, parameters: Mapping[str, Tensor], inputs: Tensor, noise: Noise | None) -> Tensor:
        """Return outputs ``[examples, ...]``; ``noise`` feeds dropout and is None when scoring."""
        ...

    def losses(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Return one loss an example, float32 ``[examples]``."""
        ...

    def scores(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Return one score an example, float32 ``[examples]``; its mean is the accuracy."""
        ...


def load_task(module_path: str) -> Task:
    """Import the task's module and check that it has the protocol's functions.

    Raises:
        TaskError: The module can't be imported or lacks functions; the message names them.
    """
    try:
        module = importlib.import_module(module_path)
    except ImportError as error:
        raise TaskError(
            f"task={module_path} can't be imported: {error}. Write the path of a module that Python finds"
        ) from error
    missing = [name for name in TASK_FUNCTIONS if not callable(getattr(module, name, None))]
    if missing:
        raise TaskError(
            f"task={module_path} lacks {', '.join(missing)}: see training/tasks/__init__.py for the protocol"
        )
    return cast("Task", module)


def truncated_normal(generator: np.random.Generator, shape: tuple[int, ...], deviation: float) -> Array:
    """Return float32 normal numbers of mean 0, drawn again where beyond two standard deviations."""
    values = generator.standard_normal(shape)
    while (beyond := np.abs(values) > 2).any():
        values[beyond] = generator.standard_normal(int(beyond.sum()))
    return (values * deviation).astype(np.float32)
