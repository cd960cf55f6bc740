"""Fixtures of the local target's suites."""

import pytest

from tests.provider.local.stack import LocalStack


@pytest.fixture
def stack(engine, tmp_path):
    """A stack of light processes, nothing of it up yet."""
    made = LocalStack(engine, tmp_path)
    yield made
    made.end()
