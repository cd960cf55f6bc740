"""Which process is which, beyond any doubt, and stopping it.

A pid alone is given to a new process once its owner has ended. Together with the time its process started it
is never given twice, so nothing here ever takes a stranger for ours, or signals one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

TERM_GRACE_S = 5.0
"""How long a process may take to end by itself."""
KILL_WAIT_S = 10.0
"""How long the kernel may take to end a killed process before that is an error."""

_IS_LINUX = sys.platform == "linux"


@dataclass(frozen=True)
class ProcessIdentity:
    """One process, for all time.

    Attributes:
        pid: Process id.
        start_time: When it started: on Linux the boot's id and clock ticks since then, which is exact;
            elsewhere seconds since 1970.
    """

    pid: int
    start_time: str

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs; one that has ended but was not reaped doesn't."""
        return identify(self.pid) == self


def identify(pid: int) -> ProcessIdentity | None:
    """Return the identity of the process that has this pid now, or None when none runs."""
    start_time = _start_time_on_linux(pid) if _IS_LINUX else _start_time_elsewhere(pid)
    return None if start_time is None else ProcessIdentity(pid, start_time)


def stop(processes: Iterable[ProcessIdentity], term_grace_s: float = TERM_GRACE_S) -> list[ProcessIdentity]:
    """End processes: SIGTERM to all, SIGKILL to those that are still there after a while.

    Returns:
        Those that can't be ended: the user may not signal them, or the kernel holds them.
    """
    remaining = list(processes)
    for number, patience_s in ((signal.SIGTERM, term_grace_s), (signal.SIGKILL, KILL_WAIT_S)):
        for process in remaining:
            _signal(process, number)
        deadline = time.monotonic() + patience_s
        while (remaining := [process for process in remaining if process.is_alive]) and (
            time.monotonic() < deadline
        ):
            time.sleep(0.02)
    return remaining


def with_standard_output(log: Path) -> list[ProcessIdentity]:
    """Return the processes of this user that write their standard output to a file."""
    wanted = os.path.realpath(log)
    found = [identify(pid) for pid in psutil.pids() if _writes_to(pid, wanted)]
    return [process for process in found if process]


def _signal(process: ProcessIdentity, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        descriptor = _hold(process.pid)
        if descriptor is None:
            if process.is_alive:
                os.kill(process.pid, number)
            return
        try:
            if process.is_alive:
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def _hold(pid: int) -> int | None:
    """Return a descriptor that keeps a pid from being reused, where the system has such."""
    try:
        return os.pidfd_open(pid) if _IS_LINUX else None
    except ProcessLookupError:
        raise
    except OSError:
        # a kernel, or a sandbox's, that doesn't know the call
        return None


def _start_time_on_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the name in parentheses may hold spaces and parentheses itself; see proc_pid_stat(5) for the fields
    state, *fields = stat[stat.rindex(")") + 2 :].split()
    return None if state in "ZX" else f"{_boot_id()}:{fields[18]}"


@cache
def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _start_time_elsewhere(pid: int) -> str | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.6f}"
    except psutil.NoSuchProcess:
        return None


def _writes_to(pid: int, path: str) -> bool:
    try:
        if _IS_LINUX:
            return os.readlink(f"/proc/{pid}/fd/1") == path
        return any(opened.path == path for opened in psutil.Process(pid).open_files())
    except (OSError, psutil.Error):
        return False
