"""What must not wait for anything: stop requests, the run's deadline and the heartbeat.

A timer interrupts the program once a second, wherever it is, so that a wait that was not foreseen can't
silence it.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from types import FrameType

from training.run_log import RunLog

HEARTBEAT_S = 25.0  # the promise is a line every 30 s
_TICK_S = 1.0


class Stopped(BaseException):
    """The run was told to stop.

    Attributes:
        exit_code: What the process shall return: 128 and the number of the signal.
    """

    def __init__(self, reason: str, number: int) -> None:
        super().__init__(reason)
        self.exit_code = 128 + number


class DeadlinePassed(BaseException):
    """The run has used up its time. No ``Exception``, so that nobody on the way takes it for a fault."""


class Watch:
    """Raises ``Stopped`` or ``DeadlinePassed`` in the main thread, and keeps the log alive.

    Args:
        log: Where the heartbeat goes.
        timeout_s: The run's deadline from now on.
        stops_with_parent: Whether the end of standard input is a request to stop.
    """

    def __init__(self, log: RunLog, timeout_s: float, stops_with_parent: bool) -> None:
        self._log, self._deadline, self._stops_with_parent = (
            log,
            time.monotonic() + timeout_s,
            stops_with_parent,
        )

    def start(self) -> None:
        """Begin to watch."""
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGINT, self._on_stop)
        signal.signal(signal.SIGALRM, self._on_tick)
        signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)

    def stop(self) -> None:
        """Stop watching; later signals to stop are ignored, so that the way out is not interrupted."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        ignore: Callable[[int, FrameType | None], None] = lambda _number, _frame: None  # noqa: E731
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, ignore)

    def _on_stop(self, number: int, _frame: FrameType | None) -> None:
        raise Stopped(f"told to stop by {signal.Signals(number).name}", number)

    def _on_tick(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._stops_with_parent and _has_ended(0):
            raise Stopped("its parent has ended", signal.SIGTERM)
        if now > self._deadline:
            raise DeadlinePassed
        if now - self._log.spoke_at > HEARTBEAT_S:
            self._log.heartbeat()


def _has_ended(descriptor: int) -> bool:
    ready, _, _ = select.select([descriptor], [], [], 0)
    return bool(ready) and not os.read(descriptor, 4096)
