"""How the pods on one node share its CPU or its memory; the same arithmetic serves both.

A pod has a floor, below which it can't do its work, and a usual size. What each kind of pod needs stands here
too, in `NEEDS`.
"""

import dataclasses
from collections.abc import Mapping, Sequence

from stacks.capacity.plan import PodKind

_MOST_TIMES_USUAL = 4


@dataclasses.dataclass(frozen=True)
class Need:
    """What a pod needs of one thing: refused below `floor`, comfortable with `usual`."""

    floor: int
    usual: int


@dataclasses.dataclass(frozen=True)
class PodNeeds:
    """CPU in thousandths of a vCPU and memory in MiB."""

    cpu: Need
    memory: Need


NEEDS: Mapping[PodKind, PodNeeds] = {
    "interface": PodNeeds(cpu=Need(50, 200), memory=Need(512, 1024)),
    "training": PodNeeds(cpu=Need(50, 500), memory=Need(768, 1536)),
    "master": PodNeeds(cpu=Need(50, 300), memory=Need(512, 1024)),
    "worker": PodNeeds(cpu=Need(250, 1000), memory=Need(1024, 4096)),
}
"""What each kind of pod needs.

A TensorFlow process takes about 350 MiB before it has any data, and 2.7 s of CPU time to import: a worker
with a quarter of a vCPU starts in 11 s. A worker's usual memory is also the most that it is given; its CPU
has no such limit.
"""


def shared(free: int, needs: Sequence[Need], *, is_generous: bool) -> list[int]:
    """Give every need its usual amount, less where `free` doesn't allow it, more where nobody else wants it.

    Args:
        free: What there is, at least the sum of the floors.
        needs: What is needed, in the order of the answer.
        is_generous: Whether to hand out more than usual, up to four times as much.
    """
    floors, usual = sum(need.floor for need in needs), sum(need.usual for need in needs)
    if free >= usual:
        times = min(free / usual, _MOST_TIMES_USUAL) if is_generous else 1
        return [int(need.usual * times) for need in needs]
    part = (free - floors) / (usual - floors)
    return [need.floor + int((need.usual - need.floor) * part) for need in needs]
