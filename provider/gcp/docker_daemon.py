"""Whether a Docker daemon answers on this machine, and where: asked before anything is created.

Looks where Docker's own command line does, in its order: `DOCKER_HOST`, the active context, the usual sockets
(https://docs.docker.com/engine/manage-resources/contexts/). It starts nothing and logs nobody in.
"""

import hashlib
import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_S = 3.0
_SOCKETS = (
    "/var/run/docker.sock",
    "~/.docker/run/docker.sock",
    "~/.colima/default/docker.sock",
    "~/.rd/docker.sock",
)


def daemon_address(environment: Mapping[str, str], home: Path) -> str | None:
    """Address of the daemon that Docker's command line would use, whether or not it answers.

    Args:
        environment: Environment variables.
        home: The user's home folder.
    """
    if environment.get("DOCKER_HOST"):
        return environment["DOCKER_HOST"]
    folder = Path(environment.get("DOCKER_CONFIG") or home / ".docker")
    context = environment.get("DOCKER_CONTEXT") or str(
        _read(folder / "config.json").get("currentContext", "")
    )
    if context and context != "default":
        digest = hashlib.sha256(context.encode()).hexdigest()
        meta = _read(folder / "contexts" / "meta" / digest / "meta.json")
        return str(meta.get("Endpoints", {}).get("docker", {}).get("Host", "")) or None
    candidates = [Path(str(path).replace("~", str(home))) for path in _SOCKETS]
    return next((f"unix://{path}" for path in candidates if path.exists()), None)


def answers(address: str) -> bool:
    """Whether something at the address answers a ping as a Docker daemon does."""
    parts = urlsplit(address)
    is_local = parts.scheme == "unix"
    where = parts.path if is_local else (parts.hostname or "", parts.port or 2375)
    try:
        with socket.socket(socket.AF_UNIX if is_local else socket.AF_INET) as connection:
            connection.settimeout(TIMEOUT_S)
            connection.connect(where)
            connection.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            return connection.recv(64).startswith(b"HTTP/1.")
    except OSError:
        return False


def docker_problem(environment: Mapping[str, str] | None = None, home: Path | None = None) -> str | None:
    """One sentence on why images cannot be built here with the alternatives, or None where they can."""
    address = daemon_address(os.environ if environment is None else environment, home or Path.home())
    if address is not None and (address.startswith("ssh://") or answers(address)):
        return None
    where = (
        f"no Docker daemon answers at {address}" if address else "no Docker daemon was found on this machine"
    )
    return (
        f"imageBuilder=docker, but {where}. Start Docker, or let Google build with `pulumi config set"
        " imageBuilder cloudbuild`, or name images that exist with `pulumi config set imageBuilder prebuilt`,"
        " serverImage and interfaceImage."
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
