"""The supervisor's end of a session process: fork it, order work, wait for its answer, end it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from training.processes import Surroundings, fork
from training.session import Failed

_LEAVE_TIMEOUT_S = 5.0


class SessionProcess:
    """A forked process that answers over a connection.

    Args:
        body: What it does with its end of the connection; returns its exit code.
        title: What ``ps`` shows.
        log: Descriptor for its standard output and error, where TensorFlow's own messages go.
    """

    def __init__(self, body: Callable[[Connection], int], title: str, log: int) -> None:
        ours, theirs = Pipe()
        surroundings = Surroundings(
            title=title, output=log, is_session_leader=False, dies_with_parent=True, kept=(theirs.fileno(),)
        )
        self.pid = fork(lambda: body(theirs), surroundings)
        theirs.close()
        self._connection = ours
        self._has_ended = False

    def send(self, message: Any) -> None:
        """Send an order; a process that has ended doesn't mind."""
        with suppress(OSError):
            self._connection.send(message)

    def receive(self, timeout_s: float) -> Any:
        """Return its next answer, None after ``timeout_s`` without one, or ``Failed`` where it has ended."""
        try:
            return self._connection.recv() if self._connection.poll(timeout_s) else None
        except (EOFError, OSError):
            return Failed(f"the session's process has ended ({self._wait()})")

    def leave(self) -> None:
        """Let it end in order; it is killed where that takes too long."""
        self._connection.close()
        deadline = time.monotonic() + _LEAVE_TIMEOUT_S
        while not self._has_ended and time.monotonic() < deadline:
            self._has_ended = os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
            time.sleep(0.01)
        self.kill()

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        self._connection.close()
        if not self._has_ended:
            os.kill(self.pid, signal.SIGKILL)
            self._wait()

    def _wait(self) -> str:
        if self._has_ended:
            return "earlier"
        _, status = os.waitpid(self.pid, 0)
        self._has_ended = True
        code = os.waitstatus_to_exitcode(status)
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
