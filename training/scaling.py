"""How many of the offered workers pay: one more is tried, and kept if it adds enough. Pure.

A worker's gain is what it adds to the speed, as a fraction of an even share of the speed without it: 1 where
the speed grows as the number of workers does, 0 where the worker changes nothing, negative where it slows the
others down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

DRIFT = 0.2
"""A change of speed, as a fraction, after which what was found about more workers is forgotten."""

FIRST_REST_S, LONGEST_REST_S = 60.0, 900.0
"""After a try in vain no other is made for so long, doubled each time: every change costs the run seconds."""


@dataclass
class Scale:
    """The number of workers in use and what was measured of each number.

    A worker that was tried is kept when its gain reaches ``gain_min``; one that was kept is given up only
    when its gain falls below half of that, so that noise moves nothing back and forth.

    Attributes:
        minimum: Smallest number.
        maximum: Largest number.
        gain_min: The gain that a worker must have to be kept.
        count: Number in use.
        reason: Why it is this number, in words.
        rates: Examples a second, measured with each number of workers.
        kept: Numbers whose last worker was found to pay.
        rest_until: No further worker is tried before this time.
        rest_s: How long the next rest lasts.
    """

    minimum: int
    maximum: int
    gain_min: float
    count: int = 0
    reason: str = ""
    rates: dict[int, float] = field(default_factory=dict[int, float])
    kept: set[int] = field(default_factory=set[int])
    rest_until: float = 0.0
    rest_s: float = FIRST_REST_S

    def __post_init__(self) -> None:
        self.count = self.count or self.minimum

    def observe(self, workers: int, examples_per_sec: float, offered: int, now: float) -> bool:
        """Take a measured speed into account and return whether ``count`` has changed.

        Args:
            workers: Workers with which it was measured; nothing is decided where they are not ``count``.
            examples_per_sec: The speed.
            offered: Workers that could be used.
            now: The time, in seconds of any clock.
        """
        before = self.rates.get(workers)
        self.rates[workers] = examples_per_sec
        if before and abs(examples_per_sec / before - 1) > DRIFT:
            self.rates = {count: rate for count, rate in self.rates.items() if count <= workers}
        if workers != self.count:
            return False
        count, self.reason = self._next(min(self.maximum, offered), now)
        has_changed, self.count = count != self.count, count
        return has_changed

    def gain(self, count: int) -> float | None:
        """Return the gain of the last of ``count`` workers; None where it is not known."""
        if count < 2 or count not in self.rates or count - 1 not in self.rates:
            return None
        return (self.rates[count] / self.rates[count - 1] - 1) * (count - 1)

    def _next(self, ceiling: int, now: float) -> tuple[int, str]:
        count, gain = self.count, self.gain(self.count)
        if gain is not None and count > self.minimum:
            needed = self.gain_min / 2 if count in self.kept else self.gain_min
            added = f"worker {count} adds {gain:.0%} of an even share"
            if gain < needed:
                self.kept.discard(count)
                self.rest_until, self.rest_s = now + self.rest_s, min(2 * self.rest_s, LONGEST_REST_S)
                return count - 1, f"{added}, less than the {needed:.0%} that pay"
            self.kept.add(count)
        if count >= ceiling:
            limit = "workers_max" if count >= self.maximum else "as many as there are"
            return count, f"{count} in use are {limit}, and each of them pays"
        if count + 1 in self.rates or now < self.rest_until:
            return count, f"{count} in use: {_was_tried(self.gain(count + 1))}"
        return count + 1, f"trying whether worker {count + 1} pays"


def _was_tried(gain: float | None) -> str:
    return "one more was tried" + (f" and added {gain:.0%} of an even share" if gain is not None else "")
