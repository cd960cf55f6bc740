"""Finding out which peer a fault belongs to. Pure."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from training.members import Server
from training.session import Team

SLOWNESS = 3.0
SILENCE_FLOOR_S = 2.0
SLOW_FOR_S = 3.0
NOTICEABLE = 0.15
_TASK = re.compile(r"/job:(master|worker)/(?:replica:\d+/)?task:(\d+)")
_TARGET = re.compile(r"remote target /job:(master|worker)/(?:replica:\d+/)?task:(\d+)")


def silence_allowed_s(usual_duration_s: float) -> float:
    """Return how long a call may take before its peers are asked whether they still live."""
    return max(SILENCE_FLOOR_S, SLOWNESS * usual_duration_s)


def slow_worker(busy_s: Sequence[float], shares: Sequence[int], sec_per_step: float) -> int | None:
    """Return the worker that makes all others wait in a call, None where there is none.

    One is slow when it computes an example at less than a third of the others' median speed and that is felt:
    what it computes longer is a good part of the step (its messages are late besides, which shows at every
    worker). Whether it is slow for long enough (``SLOW_FOR_S``) is its caller's to see.

    Args:
        busy_s: Seconds a step that each worker was computing.
        shares: Examples of each worker's share.
        sec_per_step: Seconds a step took.
    """
    if len(busy_s) < 2:
        return None
    each_s = [busy / share for busy, share in zip(busy_s, shares, strict=True)]
    slowest = max(range(len(each_s)), key=each_s.__getitem__)
    others = [value for worker, value in enumerate(each_s) if worker != slowest]
    is_slow = each_s[slowest] > SLOWNESS * statistics.median(others)
    is_felt = busy_s[slowest] - statistics.median(busy_s) > NOTICEABLE * sec_per_step
    return slowest if is_slow and is_felt else None


def duration(seconds: float) -> str:
    """Return a duration in words, to a tenth of a second or of a millisecond."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def named_servers(message: str, team: Team) -> list[Server]:
    """Return the servers that an error of TensorFlow names as unreachable, else those it names at all."""
    found = _TARGET.findall(message) or _TASK.findall(message)
    named = [
        team.holder if job == "master" else team.workers[int(task)]
        for job, task in found
        if _is_of(team, job, task)
    ]
    return list(dict.fromkeys(named))


def in_short(message: str) -> str:
    """Return the telling line of TensorFlow's error text, at most 200 characters."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    with_code = [line for line in lines if re.search(r"\b[A-Z_]{6,}: ", line)]
    with_words = [line for line in lines if re.search(r"rror\b|failed|refused", line)]
    return (with_code or with_words or lines or ["no message"])[0][:200]


def _is_of(team: Team, job: str, task: str) -> bool:
    return job == "master" or int(task) < len(team.workers)
