"""Kubernetes' quantities of CPU and memory as whole numbers of a fixed unit.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from provider.kubernetes.client import Object

_SUFFIXES = {
    "": 1.0,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


def number(quantity: str) -> float:
    """Value of a quantity in its base unit: cores, bytes or pieces.

    Raises:
        ValueError: It is none.
    """
    match = re.fullmatch(r"([0-9.]+(?:e[0-9]+)?)([a-zA-Z]*)", quantity)
    if not match or match[2] not in _SUFFIXES:
        raise ValueError(f"{quantity!r} is no quantity of Kubernetes")
    return float(match[1]) * _SUFFIXES[match[2]]


def cpu_millicores(resources: Object) -> int:
    """CPU of a set of resources, in thousandths of a core, rounded up."""
    return math.ceil(round(number(resources.get("cpu", "0")) * 1000, 6))


def memory_mib(resources: Object) -> int:
    """Memory of a set of resources, in MiB, rounded up."""
    return math.ceil(number(resources.get("memory", "0")) / 2**20)


def whole_memory_mib(resources: Object) -> int:
    """Memory of a set of resources, in MiB, rounded down: what may be asked of it."""
    return math.floor(number(resources.get("memory", "0")) / 2**20)


def requests(pod: Object) -> tuple[int, int]:
    """What a pod asks for: thousandths of a core, and MiB.

    Init containers run one after the other before the rest: the largest of them counts where it is larger.
    """
    spec = pod["spec"]
    together = _summed(spec["containers"])
    alone = [_summed([container]) for container in spec.get("initContainers", [])]
    return (
        max([together[0], *(one[0] for one in alone)]),
        max([together[1], *(one[1] for one in alone)]),
    )


def _summed(containers: Iterable[Any]) -> tuple[int, int]:
    asked = [container.get("resources", {}).get("requests", {}) for container in containers]
    return sum(map(cpu_millicores, asked)), sum(map(memory_mib, asked))
