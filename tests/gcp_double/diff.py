"""How the double compares old state with new inputs, as a bridged Terraform provider does.

A field that the program leaves out is not compared: the real provider takes it for "whatever is there".
"""

from collections.abc import Mapping, Sequence
from typing import Any


def changed_paths(old: Any, new: Any, path: str = "") -> list[str]:
    """Dotted paths of the new inputs that differ from the old state."""
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        children = [(f"{path}.{key}" if path else str(key), old.get(key), new[key]) for key in new]
    elif _is_list(new) and _is_list(old) and len(new) == len(old):
        children = [(f"{path}[{index}]", old[index], new[index]) for index in range(len(new))]
    else:
        return [] if new is None or old == new else [path]
    return [changed for child, before, after in children for changed in changed_paths(before, after, child)]


def forcing(paths: Sequence[str], replaces: Sequence[str]) -> list[str]:
    """Those of the changed paths that cannot be changed in place."""
    return [path for path in paths if any(_is_within(path, field) for field in replaces)]


def _is_within(path: str, field: str) -> bool:
    return path == field or path.startswith((f"{field}.", f"{field}["))


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
