"""How the pods on one node share its CPU or its memory; the same arithmetic serves both.

A pod gets what its settings want, where the node has it, and never less than its floor.
"""

from collections.abc import Mapping, Sequence

from stacks.capacity.plan import PodKind, PodSize
from stacks.capacity.request import PlanRequest

FLOORS: Mapping[PodKind, PodSize] = {
    "interface": PodSize(50, 512),
    "training": PodSize(50, 768),
    "master": PodSize(50, 512),
    "worker": PodSize(250, 0),
}
"""The least that each kind of pod can do its work with, unless the settings want even less.

A TensorFlow process takes about 350 MiB before it has any data, and 2.7 s of CPU time to import: with a
quarter of a vCPU a worker starts in 11 s. A worker's memory is what its setting says and never less.
"""


def least(request: PlanRequest, kind: PodKind) -> PodSize:
    """The least that a pod of a kind is given."""
    wanted, floor = request.sizes[kind], FLOORS[kind]
    if kind == "worker":
        return PodSize(wanted.cpu_millicores or floor.cpu_millicores, wanted.memory_mib)
    return PodSize(min(wanted.cpu_millicores, floor.cpu_millicores), min(wanted.memory_mib, floor.memory_mib))


def shared(free: int, floors: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Give everyone what is wanted, or where `free` doesn't suffice the same part of the way from the floor.

    Args:
        free: What there is, at least the sum of the floors.
        floors: The least for each.
        wanted: The most for each, not below its floor.
    """
    beyond = sum(wanted) - sum(floors)
    part = min(1.0, (free - sum(floors)) / beyond) if beyond else 1.0
    return [floor + int((want - floor) * part) for floor, want in zip(floors, wanted, strict=True)]
