"""Compute Engine's machine types for nodes: the one table of their sizes, quotas, disks, networks and prices.

Sizes up to 32 vCPU of the general-purpose and compute-optimised families; no GPUs, no local SSD, no custom
types. What a node leaves to pods stands in `allocatable`, prices of everything else in `prices`.

Sources, as of August 2026:
    sizes, families, SMT: https://cloud.google.com/compute/docs/general-purpose-machines
    disks: https://cloud.google.com/compute/docs/disks and the upstream PD CSI driver's table
    quota metrics: https://cloud.google.com/compute/resource-usage
    prices of us-central1, 3 August 2026, a rate for each vCPU and each GiB, as Google bills:
        https://cloud.google.com/compute/all-pricing (Spot prices float)
    CoreMark scores: https://cloud.google.com/compute/docs/benchmarks-linux (March 2026)
"""

import dataclasses
import difflib
import functools
from collections.abc import Iterator, Mapping
from typing import Literal

PRICES_AS_OF = "3 August 2026"
"""Date of the machines' prices."""

DISK_METRICS: Mapping[str, str] = {
    "pd-standard": "DISKS_TOTAL_GB",
    "pd-balanced": "SSD_TOTAL_GB",
    "pd-ssd": "SSD_TOTAL_GB",
    "hyperdisk-balanced": "HDB_TOTAL_GB",
}
"""Quota metric that each disk type draws on; its keys are the disk types there are."""

_PD = ("pd-balanced", "pd-standard", "pd-ssd")
_PD_HD = (*_PD, "hyperdisk-balanced")
_SSD_HD = ("pd-balanced", "pd-ssd", "hyperdisk-balanced")
_HD = ("hyperdisk-balanced",)


@dataclasses.dataclass(frozen=True)
class Rates:
    """US dollars an hour for one vCPU and for one GiB of memory."""

    vcpu: float
    gib: float


@dataclasses.dataclass(frozen=True)
class Family:
    """What the machine types of one family have in common.

    Attributes:
        name: First part of the type's name, e.g. ``e2``.
        cpu_metrics: Regional quota metrics that each vCPU counts in.
        disk_types: Boot disks it takes, the preferred one first.
        coremark: CoreMark score of one vCPU when all vCPU of a machine are busy, in thousands.
        on_demand: Rates of ordinary machines.
        spot: Rates of Spot machines.
        arch: Architecture that images must be built for.
    """

    name: str
    cpu_metrics: tuple[str, ...]
    disk_types: tuple[str, ...]
    coremark: float
    on_demand: Rates
    spot: Rates
    arch: Literal["amd64", "arm64"] = "amd64"


def _own(family: str) -> tuple[str, ...]:
    return (f"{family.upper()}_CPUS",)


def _per_family(family: str) -> tuple[str, ...]:
    return (f"CPUS_PER_VM_FAMILY:{family.upper()}",)


# No score is published for C4, C4D, N4D, C4A and N4A: one of the same or the previous processor stands in.
# fmt: off
_FAMILIES = (
    Family("e2", ("CPUS", "E2_CPUS"), _PD, 13.0, Rates(0.021812, 0.002924), Rates(0.013090, 0.001754)),
    Family("n1", ("CPUS",), _PD, 13.0, Rates(0.031611, 0.004237), Rates(0.011150, 0.001494)),
    Family("n2", _own("n2"), _PD_HD, 17.0, Rates(0.031611, 0.004237), Rates(0.014990, 0.002010)),
    Family("n2d", _own("n2d"), _PD, 20.3, Rates(0.027502, 0.003686), Rates(0.007960, 0.001067)),
    Family("t2d", _own("t2d"), _PD, 29.7, Rates(0.027502, 0.003686), Rates(0.010260, 0.001375)),
    Family("c2", _own("c2"), _PD, 18.3, Rates(0.033980, 0.004556), Rates(0.016220, 0.002175)),
    Family("c2d", _own("c2d"), _PD, 22.0, Rates(0.029563, 0.003959), Rates(0.009930, 0.001330)),
    Family("c3", _own("c3"), _SSD_HD, 20.1, Rates(0.034650, 0.003938), Rates(0.008490, 0.000965)),
    Family("c3d", _per_family("c3d"), _SSD_HD, 23.8, Rates(0.029563, 0.003959), Rates(0.006590, 0.000882)),
    Family("c4", _per_family("c4"), _HD, 22.0, Rates(0.034650, 0.003938), Rates(0.020790, 0.002363)),
    Family("c4d", _per_family("c4d"), _HD, 23.8, Rates(0.032704, 0.003753), Rates(0.011480, 0.001317)),
    Family("n4", _per_family("n4"), _HD, 22.0, Rates(0.031190, 0.003540), Rates(0.015400, 0.001748)),
    Family("n4d", _per_family("n4d"), _HD, 23.8, Rates(0.029110, 0.003310), Rates(0.014120, 0.001606)),
    Family("t2a", _own("t2a"), _PD, 23.5, Rates(0.038500, 0.0), Rates(0.016392, 0.0), "arm64"),
    Family("c4a", _per_family("c4a"), _HD, 23.5, Rates(0.03086, 0.00351), Rates(0.01334, 0.001517), "arm64"),
    Family("n4a", _per_family("n4a"), _HD, 23.5, Rates(0.02646, 0.00301), Rates(0.01111, 0.001264), "arm64"),
)
# fmt: on

FAMILIES: Mapping[str, Family] = {family.name: family for family in _FAMILIES}
"""Every family by name."""

_SMALL_TO_LARGE = (2, 4, 8, 16, 32)
_FROM_ONE = (1, *_SMALL_TO_LARGE)
_SERIES: tuple[tuple[str, tuple[int, ...], float], ...] = (
    ("e2-standard", _SMALL_TO_LARGE, 4),
    ("e2-highcpu", _SMALL_TO_LARGE, 1),
    ("n1-standard", _FROM_ONE, 3.75),
    ("n1-highcpu", _SMALL_TO_LARGE, 0.9),
    ("n2-standard", _SMALL_TO_LARGE, 4),
    ("n2-highcpu", _SMALL_TO_LARGE, 1),
    ("n2d-standard", _SMALL_TO_LARGE, 4),
    ("n2d-highcpu", _SMALL_TO_LARGE, 1),
    ("t2d-standard", _FROM_ONE, 4),
    ("c2-standard", (4, 8, 16, 30), 4),
    ("c2d-standard", _SMALL_TO_LARGE, 4),
    ("c2d-highcpu", _SMALL_TO_LARGE, 2),
    ("c3-standard", (4, 8, 22), 4),
    ("c3-highcpu", (4, 8, 22), 2),
    ("c3d-standard", (4, 8, 16, 30), 4),
    ("c3d-highcpu", (4, 8, 16, 30), 2),
    ("c4-standard", (2, 4, 8, 16, 24, 32), 3.75),
    ("c4-highcpu", (2, 4, 8, 16, 24, 32), 2),
    ("c4d-standard", _SMALL_TO_LARGE, 3.875),
    ("c4d-highcpu", _SMALL_TO_LARGE, 1.875),
    ("n4-standard", _SMALL_TO_LARGE, 4),
    ("n4-highcpu", _SMALL_TO_LARGE, 2),
    ("n4d-standard", _SMALL_TO_LARGE, 4),
    ("n4d-highcpu", _SMALL_TO_LARGE, 2),
    ("t2a-standard", _FROM_ONE, 4),
    ("c4a-standard", _FROM_ONE, 4),
    ("c4a-highcpu", _FROM_ONE, 2),
    ("n4a-standard", _FROM_ONE, 4),
    ("n4a-highcpu", _FROM_ONE, 2),
)
"""Series, its numbers of vCPU, and GiB of memory for each vCPU."""

_MEMORY_GIB: Mapping[str, float] = {
    "c3d-highcpu-30": 59,
    "c4-standard-2": 7,
    "c4d-standard-2": 7,
    "c4d-standard-4": 15,
    "c4d-highcpu-2": 3,
    "c4d-highcpu-4": 7,
}
"""Types whose memory isn't their series' GiB for each vCPU."""

_SHARED_CORE: tuple[tuple[str, float, float, float], ...] = (
    ("e2-micro", 1, 0.25, 1),
    ("e2-small", 2, 0.5, 2),
    ("e2-medium", 4, 1, 2),
)
"""Shared-core type, GiB of memory, vCPU that it may use in the long run and is billed for, Gbit/s."""

_GBIT_S_BY_VCPUS = ((1, 10), (4, 10), (8, 16), (32, 32))
_GBIT_S_BY_FAMILY: Mapping[str, tuple[tuple[int, float], ...]] = {
    "e2": ((2, 4), (4, 8), (32, 16)),
    "n1": ((1, 2), (4, 10), (8, 16), (32, 32)),
    "c3": ((32, 23),),
    "c3d": ((16, 20), (32, 25)),
    "c4": ((4, 10), (32, 23)),
}
"""Egress limit of machines with up to so many vCPU."""


@dataclasses.dataclass(frozen=True, eq=False)
class MachineType:
    """One machine type; there is one object for each.

    Attributes:
        name: Compute Engine's name, e.g. ``e2-standard-4``.
        family: What it shares with its family.
        vcpus: vCPU that the guest sees and that quotas count.
        memory_gib: Memory in GiB.
        network_gbit_s: Egress limit.
        coremark: CoreMark score of one vCPU's worth of CPU time, in thousands.
        billed_vcpus: vCPU that are paid for; differs from `vcpus` for shared-core types only.
    """

    name: str
    family: Family
    vcpus: int
    memory_gib: float
    network_gbit_s: float
    coremark: float
    billed_vcpus: float

    @property
    def series(self) -> str:
        """Types that differ in size alone, e.g. ``e2-standard``."""
        return self.name.rpartition("-")[0]

    @property
    def is_shared_core(self) -> bool:
        """Whether it may use only a part of its vCPU in the long run."""
        return self.billed_vcpus < self.vcpus

    def dollars_per_hour(self, *, is_spot: bool) -> float:
        """Price in us-central1."""
        rates = self.family.spot if is_spot else self.family.on_demand
        return self.billed_vcpus * rates.vcpu + self.memory_gib * rates.gib


def _machine_types() -> Iterator[MachineType]:
    for series, sizes, gib_per_vcpu in _SERIES:
        family = FAMILIES[series.partition("-")[0]]
        for vcpus in sizes:
            name = f"{series}-{vcpus}"
            gbit_s = next(
                limit
                for up_to, limit in _GBIT_S_BY_FAMILY.get(family.name, _GBIT_S_BY_VCPUS)
                if vcpus <= up_to
            )
            # A lone vCPU of N1 usually has a core's second thread idle, which its published score shows.
            coremark = 20.1 if name == "n1-standard-1" else family.coremark
            memory_gib = _MEMORY_GIB.get(name, vcpus * gib_per_vcpu)
            yield MachineType(name, family, vcpus, memory_gib, gbit_s, coremark, vcpus)
    for name, memory_gib, billed_vcpus, gbit_s in _SHARED_CORE:
        yield MachineType(name, FAMILIES["e2"], 2, memory_gib, gbit_s, 14.5, billed_vcpus)


MACHINE_TYPES: Mapping[str, MachineType] = {machine.name: machine for machine in _machine_types()}
"""Every machine type by name."""


@functools.cache
def nearest(name: str) -> tuple[str, ...]:
    """Up to three known machine types whose names are most like `name`, the likest first."""
    return tuple(difflib.get_close_matches(name, MACHINE_TYPES, n=3, cutoff=0.5))
