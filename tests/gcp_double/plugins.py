"""Puts the double's plug-ins where the engine finds them in the place of the published ones."""

import sys
from pathlib import Path

from tests.gcp_double.cloud import ENVIRONMENT_VARIABLE

_CHECKOUT = Path(__file__).resolve().parents[2]


def install(folder: Path, cloud_file: Path) -> dict[str, str]:
    """Write the plug-ins' executables into a folder.

    Returns:
        Environment that the engine needs besides the folder on PATH.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for package, module in (("gcp", "plugin"), ("kubernetes", "kubernetes_plugin")):
        executable = folder / f"pulumi-resource-{package}"
        executable.write_text(
            f'#!/bin/sh\nPYTHONPATH="{_CHECKOUT}" exec "{sys.executable}" -m tests.gcp_double.{module} "$@"\n'
        )
        executable.chmod(0o755)
    return {ENVIRONMENT_VARIABLE: str(cloud_file)}
