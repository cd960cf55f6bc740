"""Compute Engine's quotas: what a project may use, what of it is in use, and what the free trial allows.

Pure. Reading them live is the part of `provider` and `components`; they hand over `Quotas`.
"""

import dataclasses
import re
from collections.abc import Mapping

CPUS = "CPUS"
CPUS_ALL_REGIONS = "CPUS_ALL_REGIONS"
PREEMPTIBLE_CPUS = "PREEMPTIBLE_CPUS"
INSTANCES = "INSTANCES"
IN_USE_ADDRESSES = "IN_USE_ADDRESSES"
STATIC_ADDRESSES = "STATIC_ADDRESSES"
NETWORKS = "NETWORKS"
ROUTERS = "ROUTERS"

VCPU_BUDGET = "vcpuBudget"
"""Not one of Google's metrics: the setting that caps the stack's own vCPU in all metrics together."""

OFTEN_ABSENT = frozenset({"E2_CPUS", PREEMPTIBLE_CPUS})
"""Metrics that some projects don't have; one that is absent limits nothing, since `CPUS` does."""

_LIMIT = re.compile(r"([A-Z][A-Z0-9_]*(?::[A-Z0-9]+)?)=(\d+)")


@dataclasses.dataclass(frozen=True)
class Quota:
    """Limit of one metric, and what of it is in use."""

    limit: int
    in_use: int = 0

    @property
    def available(self) -> int:
        """What is left, never less than nothing."""
        return max(0, self.limit - self.in_use)


@dataclasses.dataclass(frozen=True)
class Quotas:
    """All quotas that a stack in one region has to keep.

    Attributes:
        by_metric: Quota by Compute Engine's name of the metric, regional ones and the project's together; a
            metric
            for each family is ``CPUS_PER_VM_FAMILY:C4``.
        source: Where the numbers come from, in a few words.
        is_live: Whether they were read from the project.
    """

    by_metric: Mapping[str, Quota]
    source: str
    is_live: bool = False

    def get(self, metric: str) -> Quota | None:
        """The quota of a metric, `None` where it isn't known."""
        return self.by_metric.get(metric)

    def limits(self, metric: str) -> bool:
        """Whether a metric has to be kept: all but those that a project may well not have."""
        return metric in self.by_metric or metric not in OFTEN_ABSENT

    def without(self, own: Mapping[str, int]) -> "Quotas":
        """The quotas with the stack's own use, which Google counts like any other, taken out."""
        by_metric = {
            metric: Quota(quota.limit, max(0, quota.in_use - own.get(metric, 0)))
            for metric, quota in self.by_metric.items()
        }
        return dataclasses.replace(self, by_metric=by_metric)

    def with_limits(self, limits: Mapping[str, int]) -> "Quotas":
        """The quotas with some limits given by hand, none of which is in use by others."""
        if not limits:
            return self
        given = {metric: Quota(limit) for metric, limit in limits.items()}
        return dataclasses.replace(
            self, by_metric={**self.by_metric, **given}, source=f"{self.source}, {len(limits)} given by hand"
        )


TRIAL = Quotas(
    {
        CPUS: Quota(8),
        "E2_CPUS": Quota(8),
        CPUS_ALL_REGIONS: Quota(8),
        INSTANCES: Quota(24),
        IN_USE_ADDRESSES: Quota(4),
        STATIC_ADDRESSES: Quota(8),
        "SSD_TOTAL_GB": Quota(250),
        "DISKS_TOTAL_GB": Quota(2048),
        NETWORKS: Quota(5),
        ROUTERS: Quota(10),
    },
    source="the free trial's usual quotas",
)
"""What a free trial usually has, for when a project's own quotas can't be read.

The trial's cap of 8 vCPU at a time is documented (https://cloud.google.com/free/docs/free-cloud-features),
the rest was seen in trial projects, the smaller number where they differed. A metric that isn't here counts
as 0.
"""


def parse_limit(text: str) -> tuple[str, int]:
    """Metric and limit of ``METRIC=LIMIT``.

    Raises:
        ValueError: The text has another form.
    """
    match = _LIMIT.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{text} is not of the form METRIC=LIMIT, for example CPUS=24 or CPUS_PER_VM_FAMILY:C4=12"
        )
    return match[1], int(match[2])
