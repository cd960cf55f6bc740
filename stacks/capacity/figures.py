"""The numbers of a plan beside its pools and pods: use of quotas, dollars, speed. Plain frozen values."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, kw_only=True)
class MetricPeak:
    """The most that the stack uses of one quota metric, phase by phase.

    Attributes:
        metric: Compute Engine's name of the quota, or ``vcpuBudget``.
        create: While the cluster is made and only the temporary pool exists.
        steady: While everything runs.
        upgrade: While nodes are upgraded, surge nodes included.
        replace: While a pool is replaced, or the running pools become the planned ones.
        limit: The quota; `None` where it isn't known, which counts as nothing left.
        in_use: What others use of it already.
    """

    metric: str
    create: int
    steady: int
    upgrade: int
    replace: int
    limit: int | None
    in_use: int = 0

    @property
    def peak(self) -> int:
        """The largest of the phases."""
        return max(self.create, self.steady, self.upgrade, self.replace)

    @property
    def available(self) -> int:
        """What the stack may use."""
        return 0 if self.limit is None else max(0, self.limit - self.in_use)

    @property
    def fits(self) -> bool:
        """Whether the peak stays within what is available."""
        return self.peak <= self.available


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cost:
    """What the cluster costs, in US dollars.

    Attributes:
        lines: Dollars an hour by item, the control plane's fee included.
        credit_per_hour: What Google credits of the fee while its monthly credit lasts.
        run_hours: Hours from the start of `up` to the end of `destroy`, for the one run.
        run_dollars: What that costs before the credit.
    """

    lines: Mapping[str, float]
    credit_per_hour: float
    run_hours: float
    run_dollars: float

    @property
    def dollars_per_hour(self) -> float:
        """Sum of the items, before the credit."""
        return sum(self.lines.values())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Prediction:
    """What training is predicted to be like.

    Attributes:
        seconds_per_step: Time of one step with all workers.
        speedup: How many times faster than one such worker alone.
        training_seconds: Time of all steps.
        most_useful_workers: Number above which no worker makes a step shorter by 1 %.
        source: Where the numbers come from, in a few words.
    """

    seconds_per_step: float
    speedup: float
    training_seconds: float
    most_useful_workers: int
    source: str
