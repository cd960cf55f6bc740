"""How fast a layout is predicted to train: the seam between the plan and a model of a step's time.

The plan asks only through `StepTimeModel`. `MeasuredParts` is the model until a better one is given: it adds
up what was measured for `mnist` on one core (TensorFlow 2.21, 817k parameters, Adam), and takes a vCPU's
speed from its machine's CoreMark score.
"""

import dataclasses
from typing import Protocol

from stacks.capacity.figures import Prediction
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Layout
from stacks.capacity.request import PlanRequest
from stacks.topology import Role


@dataclasses.dataclass(frozen=True)
class WorkerPlace:
    """What a worker has to work with.

    Attributes:
        cpus: vCPU's worth of CPU time that it may use.
        coremark: CoreMark score of one such vCPU, in thousands.
        network_gbit_s: Egress limit of its node.
        workers_per_node: Workers that share the node.
    """

    cpus: float
    coremark: float
    network_gbit_s: float
    workers_per_node: int


class StepTimeModel(Protocol):
    """Anything that predicts the time of a step."""

    @property
    def source(self) -> str:
        """Where its numbers come from, in a few words."""
        ...

    def seconds_per_step(self, batch_size: int, workers: int, sync_period: int, place: WorkerPlace) -> float:
        """Time of one step of `batch_size` examples over `workers` equal workers."""
        ...


@dataclasses.dataclass(frozen=True)
class MeasuredParts:
    """Time of a step as computing, waiting for one another and exchanging, each scaled from one core.

    Attributes:
        source: As `StepTimeModel`.
        update_ms: CPU time of the optimiser, whatever the share of the batch.
        example_ms: CPU time of one example, forward and back.
        waiting_ms: CPU time lost at every step as soon as there are two workers.
        exchange_ms: CPU time of one exchange of the model.
        exchanged_mb: Size of the model.
        coremark: CoreMark score of the core that these were measured on, in thousands; assumed.
        serial_part: Part of a step that more threads don't shorten; assumed.
    """

    source: str = "model of measured compute and exchange"
    update_ms: float = 1.3
    example_ms: float = 0.0778
    waiting_ms: float = 2.6
    exchange_ms: float = 7.2
    exchanged_mb: float = 3.27
    coremark: float = 20.1
    serial_part: float = 0.25

    def seconds_per_step(self, batch_size: int, workers: int, sync_period: int, place: WorkerPlace) -> float:
        """As `StepTimeModel`."""
        core = place.coremark / self.coremark
        compute_ms = (self.update_ms + self.example_ms * batch_size / workers) / (
            core * self._cores(place.cpus)
        )
        if workers == 1:
            return compute_ms / 1000
        one_thread = core * min(place.cpus, 1)
        on_node = min(place.workers_per_node, workers)
        leaving_mb = on_node * 2 * (workers - on_node) / workers * self.exchanged_mb
        exchange_ms = self.exchange_ms / one_thread + leaving_mb * 8 / place.network_gbit_s
        return (compute_ms + self.waiting_ms / one_thread + exchange_ms / sync_period) / 1000

    def _cores(self, cpus: float) -> float:
        """How many single cores `cpus` are worth: a small network doesn't spread over many threads."""
        return cpus if cpus <= 1 else 1 / (self.serial_part + (1 - self.serial_part) / cpus)


MEASURED_PARTS = MeasuredParts()
"""The model with the numbers that were measured."""


def predict(request: PlanRequest, layout: Layout, model: StepTimeModel) -> Prediction:
    """What training on a layout is predicted to be like, against one such worker alone."""
    machine = MACHINE_TYPES[layout.pool(Role.WORKER).machine_type]
    place = WorkerPlace(
        cpus=layout.pod("worker").cpu_millicores / 1000,
        coremark=machine.coremark,
        network_gbit_s=machine.network_gbit_s,
        workers_per_node=layout.workers_per_node,
    )
    seconds = model.seconds_per_step(request.batch_size, request.workers, request.sync_period, place)
    alone = model.seconds_per_step(request.batch_size, 1, 1, place)
    return Prediction(
        seconds_per_step=seconds,
        speedup=alone / seconds,
        training_seconds=seconds * request.steps,
        source=model.source,
    )
