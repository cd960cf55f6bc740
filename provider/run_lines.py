"""What of a run's log reaches the terminal, wherever the run is.

The log is the coordinator's standard output: rows of ``step training_accuracy loss sec_per_step``, lines
that begin with ``warning: `` or ``error: ``, and other lines for people. Rows are many and fleeting, the
others few; should there be many of those after all, the terminal gets only some, and the log has them all.

The training program calls its settings by its own names; the terminal gets those of the stack's settings.
Where the lines come from is the business of who follows the run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from provider.progress import Progress

_ROW = re.compile(
    r"\s*(?P<step>\d+)\s+(?P<accuracy>[\d.]+)\s+(?P<loss>\S+)\s+(?P<seconds>[\d.]+)"
    r"(\s+[\d.]+\s+(?P<workers>\d+)\s+(?P<left>[\d:]+|\?))?\s*"
)
_TITLE = re.compile(r"\s*step\s+accuracy\s+loss\s.*")

STAYING_LINES_AT_ONCE = 30
SECONDS_A_STAYING_LINE = 10.0
"""How many lines may stay on the terminal at once, and how often one more after that."""

SETTINGS = {
    "batch_size": "batchSize",
    "cluster_wait_s": "clusterWaitSeconds",
    "data_file": "dataFile",
    "learning_rate": "learningRate",
    "measure_speedup": "measureSpeedup",
    "peer_timeout_s": "peerTimeoutSeconds",
    "sync_period": "syncPeriod",
    "train_timeout_s": "trainTimeoutSeconds",
    "workers_max": "workersMax",
    "workers_min": "workersMin",
}
"""The stack's setting behind each setting of the training program that goes by another name there."""

_PROGRAMS_NAME = re.compile(rf"(?<![\w/.-])({'|'.join(SETTINGS)})(?![\w/-]|\.\w)")


def in_users_words(line: str) -> str:
    """A line of the training program with its settings called as the stack's user knows them."""
    return _PROGRAMS_NAME.sub(lambda found: SETTINGS[found[0]], line)


class RunLines:
    """Shows a run's lines, one after the other.

    Args:
        steps: Steps of the whole run, to show how far it is.
        clock: Seconds that never go back.
    """

    def __init__(self, steps: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._steps = steps
        self._clock = clock
        self._allowance = float(STAYING_LINES_AT_ONCE)
        self._allowed_at = clock()
        self.last_progress = ""
        self.last_line = ""
        self.last_error = ""

    def show(self, line: str, progress: Progress) -> None:
        """Show one line; an ``error: `` line is kept for the resource's own error instead."""
        line = in_users_words(line.rstrip())
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
        if not row["left"]:
            return sentence
        left = "" if row["left"] == "?" else f", {row['left']} left"
        return f"{sentence}, {row['workers']} workers{left}"

    def _may_stay(self) -> bool:
        now = self._clock()
        earned = (now - self._allowed_at) / SECONDS_A_STAYING_LINE
        self._allowance = min(self._allowance + earned, STAYING_LINES_AT_ONCE)
        self._allowed_at = now
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True
