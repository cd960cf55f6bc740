"""A stack's settings without an engine: the defaults of `Pulumi.yaml` under those of the stack's own file.

Pure but for reading the two files. Inside a Pulumi program the engine has merged them already
(`stacks.settings.load`).
"""

from pathlib import Path
from typing import Any

import yaml

from stacks.settings import NAMESPACE


class StackFileError(Exception):
    """There is no such stack file, or it is not what Pulumi writes; the message says which are there."""


def declared_settings(project: Path) -> dict[str, dict[str, Any]]:
    """Type, default and description of each setting, by name, as `Pulumi.yaml` declares them."""
    declared: dict[str, dict[str, Any]] = _read(project / "Pulumi.yaml")["config"]
    return declared


def default_values(project: Path) -> dict[str, str]:
    """Default of each setting as the text that the engine would hand to the program."""
    return {key: _text(declared["default"]) for key, declared in declared_settings(project).items()}


def stack_values(project: Path, stack: str) -> dict[str, str]:
    """All settings of one stack by name, defaults included, as text.

    Raises:
        StackFileError: The stack has no file, or the file is not a YAML mapping.
    """
    return default_values(project) | own_values(project, stack, NAMESPACE)


def own_values(project: Path, stack: str, namespace: str) -> dict[str, str]:
    """What the stack's own file sets in one namespace, such as `tfcluster` or `gcp`.

    Raises:
        StackFileError: The stack has no file, or the file is not a YAML mapping.
    """
    file = project / "stacks" / f"Pulumi.{stack}.yaml"
    if not file.is_file():
        there = sorted(path.name.split(".")[1] for path in file.parent.glob("Pulumi.*.yaml"))
        raise StackFileError(f"stack {stack} has no file {file}. There are: {', '.join(there)}.")
    prefix = f"{namespace}:"
    config: dict[str, Any] = _read(file).get("config") or {}
    return {key.removeprefix(prefix): _text(value) for key, value in config.items() if key.startswith(prefix)}


def stack_target(project: Path, stack: str) -> str:
    """What the stack deploys to: `local`, `kubernetes` or `gke`.

    Raises:
        StackFileError: As `stack_values`.
    """
    return stack_values(project, stack)["target"]


def _read(file: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise StackFileError(f"{file} is not YAML: {error}") from error
    if not isinstance(content, dict):
        raise StackFileError(f"{file} holds no settings: a YAML mapping is needed")
    return content


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
