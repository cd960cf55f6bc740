"""The environment in which this project's `pulumi` runs: engine, state, secrets, and what it may download.

A user's own choice of backend, passphrase or engine always wins; what is set here are defaults that need no
account and keep everything of a checkout inside it.
"""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from bootstrap.engine import EngineError, find_engine
from bootstrap.environment import ENVIRONMENT, PROJECT

STATE = PROJECT / ".state"
"""What this checkout keeps beside the user's files: Pulumi's state, the passphrase, records of processes."""

_PROXY_VARIABLES = {"http_proxy", "https_proxy", "all_proxy", "grpc_proxy"}
_PASSPHRASE_VARIABLES = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")


def pulumi_environment(current: Mapping[str, str], *, needs_plugins: bool) -> dict[str, str]:
    """Environment variables for a `pulumi` command.

    Args:
        current: The variables of this process.
        needs_plugins: Whether the engine may download provider plug-ins; a `local` stack has none.

    Raises:
        EngineError: There is no usable engine.
    """
    engine = find_engine()
    if engine is None:
        raise EngineError("There is no Pulumi engine that is new enough. Run `make setup`.")
    variables = dict(current)
    variables["PATH"] = os.pathsep.join([str(ENVIRONMENT / "bin"), str(engine), current.get("PATH", "")])
    variables["VIRTUAL_ENV"] = str(ENVIRONMENT)
    variables.setdefault("PULUMI_SKIP_UPDATE_CHECK", "true")
    # the program checks every setting itself and reports all problems at once; the engine stops at the first
    variables.setdefault("PULUMI_OPTION_SKIP_CONFIG_VALIDATION", "true")
    if not needs_plugins:
        variables.setdefault("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true")
    variables |= _proxy_exceptions(current)
    if not _has_own_backend(current):
        backend = STATE / "pulumi"
        backend.mkdir(parents=True, exist_ok=True)
        variables["PULUMI_BACKEND_URL"] = f"file://{backend}"
    if not any(name in current for name in _PASSPHRASE_VARIABLES):
        variables["PULUMI_CONFIG_PASSPHRASE_FILE"] = str(_passphrase_file())
    return variables


def _proxy_exceptions(current: Mapping[str, str]) -> dict[str, str]:
    """Keep the program's connection to its engine, on the loopback address, away from a user's proxy."""
    if not any(name.lower() in _PROXY_VARIABLES and value for name, value in current.items()):
        return {}
    return {
        name: ",".join(filter(None, [current.get(name, ""), "127.0.0.1", "localhost"]))
        for name in ("no_proxy", "NO_PROXY")
    }


def _has_own_backend(current: Mapping[str, str]) -> bool:
    if current.get("PULUMI_BACKEND_URL"):
        return True
    home = Path(current.get("PULUMI_HOME") or Path.home() / ".pulumi")
    try:
        credentials = json.loads((home / "credentials.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(credentials, dict) and bool(credentials.get("current"))  # pyright: ignore[reportUnknownMemberType]


def _passphrase_file() -> Path:
    file = STATE / "passphrase"
    if not file.exists():
        STATE.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as handle:
            handle.write(secrets.token_urlsafe(32) + "\n")
    return file
