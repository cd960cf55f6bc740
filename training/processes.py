"""Forking processes that share one import of TensorFlow.

A process that has imported TensorFlow, but not used it, forks in milliseconds, and its children share its
memory. Once TensorFlow has started its threads a fork is unsafe: whoever calls ``fork`` here must not have
computed anything.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from setproctitle import setproctitle

_PR_SET_PDEATHSIG = 1  # https://man7.org/linux/man-pages/man2/PR_SET_PDEATHSIG.2const.html


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a forked process gets.

    Attributes:
        title: What ``ps`` shows.
        output: Descriptor for its standard output and error; None keeps the parent's.
        error: Descriptor for its standard error alone; None follows ``output``.
        input: Descriptor for its standard input; None is ``/dev/null``.
        is_session_leader: Whether it leaves the parent's session, and so its terminal and its Ctrl-C.
        dies_with_parent: Whether the kernel ends it when its parent ends, however that happens (Linux).
        kept: Further descriptors it uses; all others are closed.
    """

    title: str
    output: int | None = None
    error: int | None = None
    input: int | None = None
    is_session_leader: bool = True
    dies_with_parent: bool = False
    kept: tuple[int, ...] = ()


def fork(main: Callable[[], int], surroundings: Surroundings) -> int:
    """Run ``main`` in a forked process, whose exit code is what it returns, and return the process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _settle(surroundings)
        code = main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # the parent's stack must never run in the child
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # no interpreter shutdown: the parent's exit handlers aren't ours, and TensorFlow's threads may hang
        os._exit(code)


def open_log(path: Path) -> int:
    """Open a log file to append to and return its descriptor."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)


def _settle(surroundings: Surroundings) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    if surroundings.dies_with_parent and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if surroundings.is_session_leader:
        os.setsid()
    source = surroundings.input
    os.dup2(os.open(os.devnull, os.O_RDONLY) if source is None else source, 0)
    if surroundings.output is not None:
        os.dup2(surroundings.output, 1)
        os.dup2(surroundings.output, 2)
    if surroundings.error is not None:
        os.dup2(surroundings.error, 2)
    _close_all_but({0, 1, 2, *surroundings.kept})
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # lives as long as the process
    setproctitle(surroundings.title)


def _close_all_but(kept: set[int]) -> None:
    first = 3
    for descriptor in sorted(descriptor for descriptor in kept if descriptor >= first):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
