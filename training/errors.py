"""The one error that ends a run with a sentence for the user."""

from __future__ import annotations


class RunError(Exception):
    """The run can't go on. The message says what happened and what to do, in plain words."""
