"""Fixtures for every suite: the real Pulumi engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import provider  # noqa: F401 -- first: settles which copy of Google's status message a process uses
from tests.engine import Engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A real engine with a backend and a home of its own, and an empty project."""
    made = Engine(tmp_path)
    yield made
    made.end()
