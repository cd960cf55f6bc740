"""How fast a layout is predicted to train: the seam between the plan and the training program's cost model.

The plan asks only through `StepTimeModel`. `CostModel` hands the question to `training.cost_model`, whose
costs were measured on one core, and says what a planned worker is worth in such cores. A prediction, whose
error on Google's machines nobody has measured; it serves to compare layouts.
"""

import dataclasses
import functools
from typing import Protocol

from stacks.capacity.figures import Prediction
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Layout
from stacks.capacity.request import PlanRequest
from stacks.topology import Role
from training import cost_model


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

    def most_useful_workers(self, batch_size: int, sync_period: int, place: WorkerPlace) -> int:
        """Number of such workers above which none makes a step shorter by 1 %; at most 1000."""
        ...


@dataclasses.dataclass(frozen=True)
class CostModel:
    """`training.cost_model`, asked about a place on a machine of Google's.

    Attributes:
        source: As `StepTimeModel`.
        costs: What was measured of the model that is trained.
        coremark: CoreMark score of the core that the costs were measured on, in thousands; assumed.
        serial_part: Part of a step that more threads don't shorten; assumed.
    """

    source: str = "training/cost_model.py, costs of mnist"
    costs: cost_model.Costs = cost_model.MNIST
    coremark: float = 20.1
    serial_part: float = 0.25

    def seconds_per_step(self, batch_size: int, workers: int, sync_period: int, place: WorkerPlace) -> float:
        """As `StepTimeModel`."""
        return _seconds_per_step(self, batch_size, workers, sync_period, place)

    def most_useful_workers(self, batch_size: int, sync_period: int, place: WorkerPlace) -> int:
        """As `StepTimeModel`."""
        return cost_model.most_useful_workers(batch_size, sync_period, self.machine(place), costs=self.costs)

    def machine(self, place: WorkerPlace) -> cost_model.Machine:
        """The place in the cost model's words: its CPU as a multiple of the measured core."""
        return cost_model.Machine(
            core=self._cores(place.cpus) * place.coremark / self.coremark,
            network_gbit_s=place.network_gbit_s,
            workers_per_node=place.workers_per_node,
        )

    def _cores(self, cpus: float) -> float:
        """How many single cores `cpus` are worth: a small network doesn't spread over many threads."""
        return cpus if cpus <= 1 else 1 / (self.serial_part + (1 - self.serial_part) / cpus)


@functools.lru_cache(maxsize=100_000)
def _seconds_per_step(
    model: CostModel, batch_size: int, workers: int, sync_period: int, place: WorkerPlace
) -> float:
    """The cost model's answer; a search asks the same question many times."""
    return cost_model.seconds_per_step(
        batch_size, workers, sync_period, model.machine(place), costs=model.costs
    )


COST_MODEL = CostModel()
"""The model that plans are made with."""


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
        most_useful_workers=model.most_useful_workers(request.batch_size, request.sync_period, place),
        source=model.source,
    )
