"""How many times faster many workers are than one, and what keeps them from being more."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from training.arrangement import STEPS_A_CALL
from training.diagnosis import in_short
from training.progress import Progress
from training.run_log import RunLog
from training.session import Failed, Order, Team, Trained
from training.session_process import SessionProcess

_TIMED_CALLS, _TIMED_S = 3, 5.0


@dataclass(frozen=True)
class Speedup:
    """The comparison with one worker; numbers are None where it was not measured.

    Attributes:
        times: Seconds a step of one worker divided by those of all.
        efficiency: ``times`` divided by the number of workers.
        bound: What limits it here, in one sentence.
    """

    times: float | None
    efficiency: float | None
    bound: str


def measured_alone(
    open_session: Callable[[Team], SessionProcess],
    everybody: Team,
    batch_size: int,
    timeout_s: float,
    log: RunLog,
) -> float | None:
    """Return the seconds a step of one worker that has the whole batch, or None where that failed."""
    alone = Team(everybody.holder, everybody.workers[:1])
    log.phase("alone", f"measuring one worker alone ({alone.workers[0].name}), for the comparison")
    progress, started = Progress(alone, batch_size), time.monotonic()
    session = open_session(alone)
    try:
        while progress.calls <= _TIMED_CALLS and (
            progress.calls < 2 or time.monotonic() - started < _TIMED_S
        ):
            session.send(Order(STEPS_A_CALL))
            answer = session.receive(timeout_s)
            if not isinstance(answer, Trained):
                said = (
                    in_short(answer.message)
                    if isinstance(answer, Failed)
                    else f"no answer within {timeout_s:g} s"
                )
                log.warn(f"one worker alone could not be measured: {said}. The result has no speed-up")
                return None
            progress.add(answer)
        session.leave()
    finally:
        session.kill()
    log.say(f"one worker alone takes {progress.sec_per_step:.4f} s a step")
    return progress.sec_per_step


def speedup(alone_s: float | None, progress: Progress, addresses: list[str]) -> Speedup:
    """Compare, and say what bounds the result.

    Args:
        alone_s: Seconds a step of one worker; None where it was not measured.
        progress: The speed of all workers.
        addresses: Where the workers are dialled, to tell whether they share this machine.
    """
    workers, step_s = len(progress.team.workers), progress.sec_per_step
    if workers == 1:
        return Speedup(1.0, 1.0, "one worker alone is what it is compared with")
    if step_s is None:
        return Speedup(None, None, "the run was too short to measure its speed")
    bound = bound_sentence(
        workers, _cores(), all(address.startswith("127.") for address in addresses), progress
    )
    if alone_s is None:
        return Speedup(None, None, bound)
    return Speedup(alone_s / step_s, alone_s / step_s / workers, bound)


def bound_sentence(workers: int, cores: int, is_one_machine: bool, progress: Progress) -> str:
    """Say what keeps ``workers`` from being faster."""
    if is_one_machine and workers > cores:
        return f"this machine has {cores} cores, which {workers} workers share"
    step_s, computing_s = (
        progress.sec_per_step or 0.0,
        (progress.busy_s_per_example or 0.0) * max(progress.shares),
    )
    share = min(1.0, computing_s / step_s) if step_s else 1.0
    if share < 0.5:
        return f"exchanging the model and waiting take {1 - share:.0%} of a step"
    return f"computing takes {share:.0%} of a step, exchanging the model the rest"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
