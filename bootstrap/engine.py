"""Finds a Pulumi engine that is new enough, or gets one.

In this order: `pulumi` on PATH, one fetched or built before, the official installer through Pulumi's own
Automation API, a build from Go modules. It installs nothing outside the cache folder and never changes PATH.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from bootstrap.cache import build_once, cache_dir
from bootstrap.environment import PYTHON
from bootstrap.go_build import MINIMUM_GO, GoBuildError, build_engine, engine_version

MINIMUM = (3, 249, 0)
"""Oldest engine that this project accepts: the first whose checks of settings can be left to the program."""

_INSTALL_TIMEOUT_S = 600
_INSTALL = """
import sys
from pulumi.automation import PulumiCommand
from semver import VersionInfo
PulumiCommand.install(root=sys.argv[1], version=VersionInfo.parse(sys.argv[2]))
"""


class EngineError(Exception):
    """There is no Pulumi engine and none could be had; the message says what to install."""


def find_engine() -> Path | None:
    """Folder of a `pulumi` that is new enough and has its Python language host, or None."""
    found = shutil.which("pulumi")
    candidates = [Path(found).parent] if found else []
    candidates.append(_cached("built") / "bin")
    candidates.append(_cached("installed") / "bin")
    return next((folder for folder in candidates if _is_usable(folder)), None)


def ensure_engine() -> Path:
    """Folder of a usable `pulumi`; gets one if there is none yet.

    Raises:
        EngineError: Neither the installer nor a build from Go modules worked.
    """
    if folder := find_engine():
        return folder
    oldest = ".".join(map(str, MINIMUM))
    print(f"No Pulumi {oldest} or newer found; getting {engine_version()} into {_cached('')}*", flush=True)
    refusals: list[str] = []
    for way, build, errors in (
        ("installed", _install, (subprocess.SubprocessError, OSError)),
        ("built", build_engine, (GoBuildError, OSError)),
    ):
        try:
            build_once(_cached(way), build)
        except errors as error:
            refusals.append(f"{way}: {_reason(error)}")
            print(f"  not {refusals[-1]}", flush=True)
            continue
        if _is_usable(_cached(way) / "bin"):
            return _cached(way) / "bin"
        refusals.append(f"{way}: {_cached(way)} holds no usable engine; delete that folder")
    reasons = "".join(f"\n  - {refusal}" for refusal in refusals)
    raise EngineError(
        f"There is no Pulumi engine, and none could be had:{reasons}\n"
        f"Install Pulumi {oldest} or newer (https://www.pulumi.com/docs/install/), or Go "
        f"{MINIMUM_GO[0]}.{MINIMUM_GO[1]} or newer, and run this again."
    )


def parse_version(text: str) -> tuple[int, int, int] | None:
    """Numbers of what `pulumi version` printed, e.g. ``v3.274.1``; None if there are none."""
    found = re.search(r"v?(\d+)\.(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _is_usable(folder: Path) -> bool:
    search_path = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
    if shutil.which("pulumi-language-python", path=search_path) is None:
        return False
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        answer = subprocess.run(
            [folder / "pulumi", "version"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    version = parse_version(answer.stdout)
    return version is not None and version >= MINIMUM


def _cached(way: str) -> Path:
    return cache_dir() / f"pulumi-{engine_version()}-{way}"


def _install(target: Path) -> None:
    subprocess.run(
        [str(PYTHON), "-c", _INSTALL, str(target), engine_version()],
        capture_output=True,
        text=True,
        timeout=_INSTALL_TIMEOUT_S,
        check=True,
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = str(error.stderr).strip().splitlines()
        return lines[-1] if lines else f"exit code {error.returncode}"
    return str(error)
