"""Whether a process still runs, where the one that must reap it may take its time."""

import time

import psutil


def is_alive(pid: int) -> bool:
    """Return whether a process with this pid runs; one that has ended but was not reaped doesn't."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def ends(pid: int, timeout_s: float = 10) -> bool:
    """Wait for a process to end and return whether it did."""
    deadline = time.monotonic() + timeout_s
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
