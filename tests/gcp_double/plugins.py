"""Puts the double's plug-ins where the engine finds them in the place of the published ones."""

import sys
from collections.abc import Iterable
from pathlib import Path

from tests.gcp_double.cloud import ENVIRONMENT_VARIABLE

_CHECKOUT = Path(__file__).resolve().parents[2]


MODULES = {"gcp": "plugin", "kubernetes": "kubernetes_plugin"}
"""Module of each plug-in."""


def install(folder: Path, cloud_file: Path, packages: Iterable[str] = MODULES) -> dict[str, str]:
    """Write the plug-ins' executables into a folder.

    Args:
        folder: Where they go.
        cloud_file: File of the cloud.
        packages: Which published plug-ins are stood in for.

    Returns:
        Environment that the engine needs besides the folder on PATH.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        executable = folder / f"pulumi-resource-{package}"
        command = f'exec "{sys.executable}" -m tests.gcp_double.{MODULES[package]} "$@"'
        executable.write_text(f'#!/bin/sh\nPYTHONPATH="{_CHECKOUT}" {command}\n')
        executable.chmod(0o755)
    return {ENVIRONMENT_VARIABLE: str(cloud_file)}
