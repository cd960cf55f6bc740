"""What a run tells the world: lines for people, JSON lines for programs, curves for TensorBoard.

Owns the form of all three. Lines go to standard output unbuffered; ``warning: `` and ``error: `` begin those
meant for the user's terminal.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from training.errors import RunError
from training.events import EventFile

ROW_STEPS = 10
METRICS_FILE = "metrics.jsonl"
_TITLES = ("step", "accuracy", "loss", "sec/step", "examples/s", "workers", "time left")


@dataclass(frozen=True, kw_only=True)
class StepRecord:
    """One trained step, as it is reported.

    Attributes:
        step: Number of the step; the first is 1.
        loss: Mean loss an example of its batch.
        accuracy: Mean score of its batch in the training pass.
        sec_per_step: Seconds a step took around it.
        examples_per_sec: Examples a second at that speed.
        workers: Live workers.
        time_left_s: Seconds to the last step; None in the first call of a set of workers, whose speed says
            nothing of the next.
    """

    step: int
    loss: float
    accuracy: float
    sec_per_step: float
    examples_per_sec: float
    workers: int
    time_left_s: float | None


class RunLog:
    """The log of one run.

    Args:
        run_dir: Folder of the run; gets ``metrics.jsonl`` and ``events/``.
    """

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        _cut_torn_line(run_dir / METRICS_FILE)
        self._metrics = os.open(
            run_dir / METRICS_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
        )
        self._events = EventFile(run_dir / "events")
        self._has_titles = False
        self.spoke_at = time.monotonic()
        self.doing = "starting"

    def say(self, line: str) -> None:
        """Print a line for people."""
        # one write of its own each: the heartbeat comes from a signal handler, which may not share a buffer
        with suppress(OSError):  # a full disk or a reader that has gone: the files of the run say the rest
            os.write(1, (line + "\n").encode())
        self.spoke_at = time.monotonic()

    def warn(self, text: str, **details: Any) -> None:
        """Print a warning and record it."""
        self.say(f"warning: {text}")
        self.record("warning", text=text, **details)

    def phase(self, name: str, doing: str, **details: Any) -> None:
        """Begin a phase: ``doing`` is what the run does from now on, in words."""
        self.doing = doing
        self.say(doing)
        self.record("phase", phase=name, doing=doing, **details)

    def heartbeat(self) -> None:
        """Say that the run is alive, and at what."""
        self.say(f"still {self.doing}")
        self.record("heartbeat", doing=self.doing)

    def steps(self, records: list[StepRecord], is_last: bool) -> None:
        """Report trained steps; every tenth one, and the last, is a row for people."""
        for record in records:
            self.record("step", **vars(record))
            curves = {
                name: float(value)
                for name, value in vars(record).items()
                if name != "step" and value is not None
            }
            self._events.scalars(record.step, curves)
            if record.step % ROW_STEPS == 0 or (is_last and record is records[-1]):
                self._row(record)
        try:
            self._events.flush()
        except OSError as error:
            raise _unwritable(self._run_dir / "events", error) from error

    def record(self, event: str, **details: Any) -> None:
        """Add a line to ``metrics.jsonl``."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"event": event, "time": now} | details) + "\n"
        try:
            os.write(self._metrics, line.encode())
        except OSError as error:
            raise _unwritable(self._run_dir / METRICS_FILE, error) from error

    def close(self) -> None:
        """Close the files."""
        with suppress(OSError):
            self._events.close()
        os.close(self._metrics)

    def _row(self, record: StepRecord) -> None:
        if not self._has_titles:
            self.say("{:>6} {:>9} {:>8} {:>9} {:>11} {:>8} {:>10}".format(*_TITLES))
            self._has_titles = True
        self.say(
            f"{record.step:>6} {record.accuracy:>9.4f} {record.loss:>8.4f} {record.sec_per_step:>9.4f} "
            f"{record.examples_per_sec:>11.0f} {record.workers:>8} {_as_left(record.time_left_s):>10}"
        )


def _as_left(time_left_s: float | None) -> str:
    if time_left_s is None:
        return "?"
    minutes, seconds = divmod(round(time_left_s), 60)
    return f"{minutes}:{seconds:02}"


def _cut_torn_line(path: Path) -> None:
    """Take away the end of a line that a full disk or a killed run left unfinished."""
    with suppress(FileNotFoundError), path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(f"{path} can't be written: {error.strerror}. Make room, then resume the run")
