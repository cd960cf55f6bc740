"""Releases a stack that an update left locked when its process died.

The file backend writes a lock file for each running update and removes it at the end; a killed process never
does. Only a lock whose owner ran on this machine and is gone is released; anything else is left to Pulumi,
which says who holds it.
"""

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bootstrap.environment import PROJECT
from provider.local.identity import identify
from stacks.settings import NAMESPACE


def release_lock_of_dead_process(stack: str, environment: dict[str, str]) -> None:
    """Cancel the stack's last update if the process that ran it is gone; say so.

    Args:
        stack: Name of the stack.
        environment: Variables of the `pulumi` command, with the backend's address.
    """
    backend = environment.get("PULUMI_BACKEND_URL", "")
    if not backend.startswith("file://"):
        return
    locks = list(_locks(Path(backend.removeprefix("file://")), stack))
    if locks and not any(_may_be_running(lock) for lock in locks):
        owners = ", ".join(f"process {lock.get('pid')} since {lock.get('timestamp')}" for lock in locks)
        print(f"Releasing stack {stack}: {owners} held it and is gone", flush=True)
        subprocess.run(
            ["pulumi", "cancel", "--yes", "--stack", stack],
            cwd=PROJECT,
            env=environment,
            capture_output=True,
            check=False,
        )


def _locks(backend: Path, stack: str) -> Iterator[dict[str, Any]]:
    for file in (backend / ".pulumi" / "locks").glob(f"**/{NAMESPACE}/{stack}/*.json"):
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # being written or removed at this moment
        if isinstance(content, dict):
            yield content


def _may_be_running(lock: dict[str, Any]) -> bool:
    on_this_machine = lock.get("hostname") == socket.gethostname()
    return not on_this_machine or identify(int(lock.get("pid", 0))) is not None
