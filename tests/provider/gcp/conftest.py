"""A simulated Google, and an operation whose lines a test can read."""

import threading

import pytest

from provider.operation import Operation
from provider.progress import Progress
from tests.gcp_double.fixtures import cloud, gcp_engine, google, server

__all__ = ["cloud", "gcp_engine", "google", "server"]


class Lines(list[str]):
    """The lines of an operation, those that stay and those that do not."""

    def __call__(self, urn: str, line: str, *, is_warning: bool, is_ephemeral: bool) -> None:
        del urn, is_ephemeral
        self.append(f"warning: {line}" if is_warning else line)


@pytest.fixture
def lines():
    return Lines()


@pytest.fixture
def operation(lines):
    urn = "urn:pulumi:gke-free::tfcluster::tfcluster:index:Thing::thing"
    return Operation(urn=urn, progress=Progress(lines, urn), cancelled=threading.Event(), timeout_s=60)
