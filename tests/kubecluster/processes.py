"""Commands, background processes and waiting. A process is known by its id and its time of start."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.kubecluster.places import KUBECONFIG, KUBECTL, LOGS, RUN, ClusterError

_children: dict[str, subprocess.Popen[bytes]] = {}
"""Processes that this very process started; kept so that their end is noted."""


class EndedError(ClusterError):
    """A process that others depend on has ended, so that waiting longer is of no use."""


def run(*command: object, **options: Any) -> str:
    """Run a command to its end and return what it printed.

    Raises:
        ClusterError: Its exit code is not 0; the message holds its output.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, text=True, capture_output=True, **options)
    if done.returncode:
        shown = " ".join(words[:6])
        raise ClusterError(f"`{shown} ...` ended with {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


def kubectl(*arguments: object, **options: Any) -> str:
    """Run kubectl on the test cluster as its administrator."""
    return run(KUBECTL, "--kubeconfig", KUBECONFIG, *arguments, **options)


def wait_for(what: str, check: Callable[[], Any], timeout_s: float, log: str = "") -> Any:
    """Call `check` until it answers something true.

    Args:
        what: What is waited for, for the message.
        check: The question; a `ClusterError` counts as "not yet".
        timeout_s: Seconds after which to give up.
        log: Name of the process whose log's end belongs into the message.
    """
    deadline = time.monotonic() + timeout_s
    reason = ""
    while time.monotonic() < deadline:
        try:
            if answer := check():
                return answer
        except EndedError as error:
            raise ClusterError(f"{error}\n{log_end(log)}") from None
        except ClusterError as error:
            reason = str(error).strip()
        time.sleep(0.2)
    raise ClusterError(f"waited {timeout_s:g} s in vain for {what}\n{reason}\n{log_end(log)}")


def running(name: str) -> psutil.Process | None:
    """The process that was started under this name, if it still runs."""
    try:
        noted = json.loads((RUN / f"{name}.json").read_text())
        process = psutil.Process(noted["pid"])
        # Process ids are given out again; a later start betrays a stranger.
        mine = process.create_time() == noted["created"] and process.status() != psutil.STATUS_ZOMBIE
    except (FileNotFoundError, psutil.NoSuchProcess):
        return None
    return process if mine else None


def start(name: str, *command: object) -> None:
    """Start a background process that logs to `<name>.log`, unless it runs already."""
    if running(name):
        return
    with (LOGS / f"{name}.log").open("ab") as log:
        _children[name] = started = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
        )
    noted = {"pid": started.pid, "created": psutil.Process(started.pid).create_time()}
    (RUN / f"{name}.json").write_text(json.dumps(noted))


def stop(*names: str) -> None:
    """Kill processes of ours and wait for their end; nothing they hold outlives the cluster."""
    ours = [process for process in map(running, names) if process]
    for process in ours:
        process.kill()
    _, alive = psutil.wait_procs(ours, timeout=15)
    if alive:
        raise ClusterError(f"still running after 15 s: {alive}")
    for name in names:
        if child := _children.pop(name, None):
            child.wait()
        (RUN / f"{name}.json").unlink(missing_ok=True)


def started_names() -> list[str]:
    """Names of all processes started and not stopped."""
    return sorted(path.stem for path in RUN.glob("*.json"))


def log_end(name: str, lines: int = 15) -> str:
    """The last lines of a process's log, with its path."""
    path: Path = LOGS / f"{name}.log"
    if not name or not path.exists():
        return ""
    return "\n".join([f"--- end of {path}", *path.read_text(errors="replace").splitlines()[-lines:]])
