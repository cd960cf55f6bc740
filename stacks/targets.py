"""Which module declares the stack for each target."""

import importlib
from typing import Any

import pulumi

from stacks.settings import Settings

_MODULES = {"gke": "stacks.gke", "kubernetes": "stacks.kubernetes", "local": "stacks.local"}
"""Imported only when wanted: a `local` stack does not wait for the libraries of the clouds."""


def declare(settings: Settings) -> dict[str, pulumi.Input[Any]]:
    """Declare everything that the stack consists of on its target; return the stack's outputs by name.

    Raises:
        pulumi.RunError: The settings cannot be used; nothing has been declared then.
    """
    return importlib.import_module(_MODULES[settings.target]).declare(settings)
