"""What tasks of the scale model are asked and answer, and the loop in which they do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection


@dataclass(frozen=True)
class Train:
    """Train so many steps."""

    steps: int


@dataclass(frozen=True)
class Took:
    """How long the steps took."""

    duration_s: float


@dataclass(frozen=True)
class Score:
    """Say how many of the test images are classified right."""


@dataclass(frozen=True)
class Scored:
    """The share of the test images that is classified right."""

    accuracy: float


def obey(connection: Connection, train: Callable[[int], None], accuracy: Callable[[], float]) -> int:
    """Carry out orders until the other end closes."""
    while True:
        try:
            order: Train | Score = connection.recv()
        except EOFError:
            return 0
        if isinstance(order, Score):
            connection.send(Scored(accuracy()))
            continue
        started = time.monotonic()
        train(order.steps)
        connection.send(Took(time.monotonic() - started))
