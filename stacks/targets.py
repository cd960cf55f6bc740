"""Which function declares the stack for each target."""

from typing import Any

import pulumi

from stacks import local
from stacks.settings import Settings

_DECLARE = {"local": local.declare}


def declare(settings: Settings) -> dict[str, pulumi.Input[Any]]:
    """Declare everything that the stack consists of on its target; return the stack's outputs by name.

    Raises:
        pulumi.RunError: The settings cannot be used; nothing has been declared then.
    """
    return _DECLARE[settings.target](settings)
