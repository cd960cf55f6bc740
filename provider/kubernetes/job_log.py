"""New lines of a pod's log, each once, however often the way to it breaks.

A log is asked for again and again, each time from a little before the last line known; what is known already
is told by the time stamp that Kubernetes puts before each line. A stream that is held open would be quicker
by half a second, and end silently whenever something on its way grows tired of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

OVERLAP_S = 60
"""How much earlier than needed a log is read again, against delays and clocks that differ."""

Stamp = tuple[str, str]
"""Second and fraction of it, both as text that sorts by time."""


class LogReader:
    """Reads one container's log in pieces.

    Args:
        fetch: Returns the log with time stamps: all of it for None, else of the last so many seconds.
        clock: Seconds that never go back.
    """

    def __init__(
        self, fetch: Callable[[int | None], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._last: Stamp = ("", "")
        self._seen_at_last = 0
        self._last_fetch: float | None = None

    def new_lines(self) -> list[str]:
        """Return the lines written since the last call, without time stamps.

        Whatever `fetch` raises is passed on, and costs no line.
        """
        begun = self._clock()
        since_s = None if self._last_fetch is None else int(begun - self._last_fetch) + OVERLAP_S
        text = self._fetch(since_s)
        lines: list[str] = []
        at_last = 0
        for raw in _complete_lines(text):
            stamp_text, _, line = raw.partition(" ")
            stamp = parse_stamp(stamp_text)
            at_last = at_last + 1 if stamp == self._last else 0
            if stamp < self._last or (stamp == self._last and at_last <= self._seen_at_last):
                continue
            if stamp != self._last:
                self._last, self._seen_at_last, at_last = stamp, 0, 1
            self._seen_at_last += 1
            lines.append(line)
        if lines:
            self._last_fetch = begun
        return lines


def parse_stamp(text: str) -> Stamp:
    """A time stamp such as ``2026-11-30T06:00:00.12Z`` in a form that sorts by time."""
    second, _, fraction = text.removesuffix("Z").partition(".")
    return second, fraction.ljust(9, "0")


def _complete_lines(text: str) -> list[str]:
    """Lines that have ended; the rest is read again when it is whole."""
    whole, _, _ = text.rpartition("\n")
    return whole.split("\n") if whole else []
