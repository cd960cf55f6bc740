"""The project's virtual environment, made from the locked requirements. Standard library only."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 13)

_STAMP = ENVIRONMENT / ".requirements"
_SMALLER = {"requirements.txt": (), "requirements-dev.txt": ("requirements.txt",)}
"""The requirements files, and which others each of them contains."""


class SetupError(Exception):
    """The environment could not be made; the message says why and what to do."""


def ensure_environment(requirements: str) -> None:
    """Make `.venv` hold what a requirements file locks, and the project itself; quick if it does already.

    Args:
        requirements: `requirements.txt`, or `requirements-dev.txt`, which contains the former.

    Raises:
        SetupError: This Python is too old or too new, or an installation failed.
    """
    _check_python()
    if _STAMP.exists() and _fingerprint(requirements) in _STAMP.read_text(encoding="utf-8").split():
        return
    print(f"Setting up .venv from {requirements} (one to two minutes, once)", flush=True)
    _STAMP.unlink(missing_ok=True)
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
    _pip("--require-hashes", "-r", requirements)
    _pip("--no-deps", "--no-build-isolation", "-e", ".")
    satisfied = (requirements, *_SMALLER[requirements])
    _STAMP.write_text("".join(f"{_fingerprint(name)}\n" for name in satisfied), encoding="utf-8")


def _fingerprint(requirements: str) -> str:
    content = (PROJECT / requirements).read_bytes() + (PROJECT / "pyproject.toml").read_bytes()
    return f"{requirements}:{sys.version_info[0]}.{sys.version_info[1]}:{hashlib.sha256(content).hexdigest()}"


def _pip(*arguments: str) -> None:
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    result = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        tail = "\n".join(result.stderr.strip().splitlines()[-8:])
        raise SetupError(f"`pip install {' '.join(arguments)}` failed:\n{tail}")


def _check_python() -> None:
    current = sys.version_info[:2]
    if not OLDEST_PYTHON <= current <= NEWEST_PYTHON:
        raise SetupError(
            f"Python {current[0]}.{current[1]} runs this, but the packages need "
            f"{OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} to {NEWEST_PYTHON[0]}.{NEWEST_PYTHON[1]}: "
            "name another one, e.g. `make PYTHON=python3.12 up`."
        )
