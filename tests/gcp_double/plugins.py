"""Puts the double's plug-in where the engine finds it in the place of the published one."""

import sys
from pathlib import Path

from tests.gcp_double.plugin import ENVIRONMENT_VARIABLE

_CHECKOUT = Path(__file__).resolve().parents[2]


def install(folder: Path, cloud_file: Path) -> dict[str, str]:
    """Write the plug-in's executable into a folder.

    Returns:
        Environment that the engine needs besides the folder on PATH.
    """
    folder.mkdir(parents=True, exist_ok=True)
    executable = folder / "pulumi-resource-gcp"
    executable.write_text(
        f'#!/bin/sh\nPYTHONPATH="{_CHECKOUT}" exec "{sys.executable}" -m tests.gcp_double.plugin "$@"\n'
    )
    executable.chmod(0o755)
    return {ENVIRONMENT_VARIABLE: str(cloud_file)}
