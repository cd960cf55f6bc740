"""What is noted of a component, for the tests that hold for all of them.

Arguments are made anew for each declaration, as outputs belong to one fake engine.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import pulumi

from tests.components.gcp.computed import OWNER


def owner(digits: str = OWNER) -> pulumi.Output[str]:
    """A stack's life."""
    return pulumi.Output.from_input(digits)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """One component.

    Attributes:
        component: Its class.
        args: Makes its arguments.
        changes: Makes another value for each field of the arguments, by field.
        creates: Type, without the package, and name of every resource but the component itself.
    """

    component: Callable[[str, Any], Any]
    args: Callable[[], Any]
    changes: Callable[[], Mapping[str, Any]]
    creates: set[tuple[str, str]]
