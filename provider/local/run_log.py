"""What of a run's log reaches the terminal.

The log is the coordinator's standard output: rows of ``step training_accuracy loss sec_per_step``, lines
that begin with ``warning: `` or ``error: ``, and other lines for people. Rows are many and fleeting, the
others few; should there be many of those after all, the terminal gets only some, and the log has them all.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from provider.progress import Progress

_ROW = re.compile(
    r"\s*(?P<step>\d+)\s+(?P<accuracy>[\d.]+)\s+(?P<loss>\S+)\s+(?P<seconds>[\d.]+)"
    r"(\s+[\d.]+\s+(?P<workers>\d+)\s+(?P<left>[\d:]+))?\s*"
)
_TITLE = re.compile(r"\s*step\s+accuracy\s+loss\s.*")

STAYING_LINES_AT_ONCE = 30
SECONDS_A_STAYING_LINE = 10.0
"""How many lines may stay on the terminal at once, and how often one more after that."""


class RunLog:
    """Relays a growing log file, line by line.

    Args:
        path: The log; it may not be there yet.
        steps: Steps of the whole run, to show how far it is.
        offset: Where to begin, in bytes.
        clock: Seconds that never go back.
    """

    def __init__(
        self, path: Path, steps: int, offset: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._steps = steps
        self._offset = offset
        self._clock = clock
        self._rest = b""
        self._allowance = float(STAYING_LINES_AT_ONCE)
        self._allowed_at = clock()
        self.last_progress = ""
        self.last_line = ""
        self.last_error = ""

    def relay(self, progress: Progress) -> None:
        """Show what was written since the last call."""
        try:
            with self._path.open("rb") as log:
                log.seek(self._offset)
                written = log.read()
        except FileNotFoundError:
            return
        self._offset += len(written)
        *lines, self._rest = (self._rest + written).split(b"\n")
        for line in lines:
            self._show(line.decode("utf-8", "replace").rstrip(), progress)

    def relay_rest(self, progress: Progress) -> None:
        """Show everything that is left, after the end of the writer."""
        self.relay(progress)
        if self._rest:
            self._show(self._rest.decode("utf-8", "replace").rstrip(), progress)
            self._rest = b""

    def _show(self, line: str, progress: Progress) -> None:
        if not line.strip():
            return
        self.last_line = line
        row = _ROW.fullmatch(line)
        if row:
            self.last_progress = self.last_line = self._sentence(row)
            progress.show(self.last_progress)
        elif _TITLE.fullmatch(line):
            pass  # each row is shown with the words
        elif line.startswith("error: "):
            # it becomes the resource's own error
            self.last_error = line.removeprefix("error: ")
        elif not self._may_stay():
            progress.show(line)
        elif line.startswith("warning: "):
            progress.warn(line.removeprefix("warning: "))
        else:
            progress.say(line)

    def _sentence(self, row: re.Match[str]) -> str:
        sentence = (
            f"step {row['step']} of {self._steps}: accuracy {row['accuracy']}, loss {row['loss']}, "
            f"{row['seconds']} s a step"
        )
        return f"{sentence}, {row['workers']} workers, {row['left']} left" if row["left"] else sentence

    def _may_stay(self) -> bool:
        now = self._clock()
        earned = (now - self._allowed_at) / SECONDS_A_STAYING_LINE
        self._allowance = min(self._allowance + earned, STAYING_LINES_AT_ONCE)
        self._allowed_at = now
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True
