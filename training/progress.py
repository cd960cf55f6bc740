"""How fast a session is, and the reports of its steps."""

from __future__ import annotations

import statistics
import time
from collections import deque

from training.batches import shard_bounds
from training.diagnosis import duration
from training.errors import RunError
from training.membership import Membership
from training.run_log import RunLog, StepRecord
from training.session import Team, Trained
from training.settings import RunSettings

_CALLS_REMEMBERED = 30


class Progress:
    """The speed of one team, from what its calls took. The first call builds graphs and doesn't count."""

    def __init__(self, team: Team, batch_size: int) -> None:
        self.team = team
        self.shares = [end - first for first, end in shard_bounds(batch_size, len(team.workers))]
        self.calls = 0
        self.measured_s = 0.0
        self.loss = float("nan")
        self.first_sec_per_step = float("nan")
        self._sec_per_step: deque[float] = deque(maxlen=_CALLS_REMEMBERED)
        self._busy_s: deque[float] = deque(maxlen=_CALLS_REMEMBERED)

    @property
    def sec_per_step(self) -> float | None:
        """Median seconds a step; None before the second call has ended."""
        return statistics.median(self._sec_per_step) if self._sec_per_step else None

    @property
    def busy_s_per_example(self) -> float | None:
        """Median of the seconds the median worker computes for one example; None as above."""
        return statistics.median(self._busy_s) if self._busy_s else None

    def add(self, trained: Trained) -> None:
        """Take a call into account."""
        if trained.reports is None:
            return
        self.calls += 1
        self.loss = float(trained.reports.losses[-1])
        if self.calls == 1:
            self.first_sec_per_step = trained.duration_s / len(trained.reports.losses)
        else:
            self.measured_s += trained.duration_s
            self._sec_per_step.append(trained.duration_s / len(trained.reports.losses))
            each_s = [busy / share for busy, share in zip(trained.reports.busy_s, self.shares, strict=True)]
            self._busy_s.append(statistics.median(each_s))

    def report(self, trained: Trained, settings: RunSettings, log: RunLog) -> None:
        """Report the steps of a call."""
        reports = trained.reports
        if reports is None:
            return
        sec_per_step, usual_s = trained.duration_s / len(reports.losses), self.sec_per_step
        records = [
            StepRecord(
                step=(step := trained.first_step + place + 1),
                loss=float(loss),
                accuracy=float(accuracy),
                sec_per_step=sec_per_step,
                examples_per_sec=settings.batch_size / sec_per_step,
                workers=len(self.team.workers),
                time_left_s=None if usual_s is None else (settings.steps - step) * usual_s,
            )
            for place, (loss, accuracy) in enumerate(zip(reports.losses, reports.accuracies, strict=True))
        ]
        log.steps(records, is_last=records[-1].step == settings.steps)
        log.doing = f"training: step {records[-1].step} of {settings.steps}, loss {records[-1].loss:.4f}"


def check_losses(trained: Trained, learning_rate: float, checkpoint_step: int) -> None:
    """Raise where a loss is not a number any more.

    Raises:
        RunError: Names the step.
    """
    for place, loss in enumerate(trained.reports.losses if trained.reports else ()):
        if not abs(float(loss)) < float("inf"):
            raise RunError(
                f"the loss is {float(loss)} at step {trained.first_step + place + 1}: the training diverged. "
                f"{checkpoint_kept(checkpoint_step)}: lower learning_rate (now {learning_rate:g}), or look "
                "for such values in the data"
            )


def checkpoint_kept(step: int) -> str:
    """Say which checkpoint a run that fails leaves, given the step of its last one; 0 is the beginning."""
    return f"The checkpoint of step {step} is intact" if step else "There is no checkpoint yet"


def note_last_seen(membership: Membership, progress: Progress, trained: Trained, next_steps: int) -> None:
    """Remember of each peer what it last did, for the day it is lost."""
    reports = trained.reports
    last = trained.first_step + (len(reports.losses) if reports else 0)
    at = time.strftime("%H:%M:%S")
    computing = (
        f"then computed steps {last + 1} to {last + next_steps}" if next_steps else "then had nothing to do"
    )
    for server in progress.team.servers:
        peer = membership.roster.peer_of(server)
        if peer is None:
            continue
        did = "held the model"
        if reports and server in progress.team.workers:
            worker = progress.team.workers.index(server)
            did = f"took {duration(reports.busy_s[worker])} a step for {progress.shares[worker]} examples"
        peer.last_seen = f"it finished step {last} at {at}, {did}, {computing}"
