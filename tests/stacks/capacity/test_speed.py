"""The model of a step's time against what was measured on a scale model of the cluster."""

import dataclasses

import pytest

from stacks.capacity.planner import decide
from stacks.capacity.speed import MEASURED_PARTS, WorkerPlace
from tests.stacks.capacity.asked import TRIAL, ask, planned

QUARTER_CORE = WorkerPlace(cpus=0.25, coremark=20.1, network_gbit_s=1000, workers_per_node=1)


def ms(batch: int, workers: int, place: WorkerPlace, sync_period: int = 1) -> float:
    return 1000 * MEASURED_PARTS.seconds_per_step(batch, workers, sync_period, place)


@pytest.mark.parametrize(
    ("workers", "sync_period", "measured_ms"), [(1, 1, 212), (6, 1, 80), (6, 10, 55), (6, 20, 51)]
)
def test_it_comes_near_what_was_measured_with_a_quarter_of_a_core_each(workers, sync_period, measured_ms):
    assert ms(600, workers, QUARTER_CORE, sync_period) == pytest.approx(measured_ms, rel=0.15)


def test_it_comes_near_what_was_measured_with_a_full_core():
    core = dataclasses.replace(QUARTER_CORE, cpus=1)
    assert ms(600, 1, core) == pytest.approx(48, rel=0.05)
    assert ms(100, 1, core) == pytest.approx(8.9, rel=0.05)


def test_six_nodes_of_two_gbit_s_add_what_was_calculated_for_the_wire():
    slow = dataclasses.replace(QUARTER_CORE, network_gbit_s=2)
    assert ms(600, 6, slow) - ms(600, 6, QUARTER_CORE) == pytest.approx(22, rel=0.05)


def test_workers_on_one_node_use_no_wire():
    together = dataclasses.replace(QUARTER_CORE, workers_per_node=6, network_gbit_s=0.1)
    assert ms(600, 6, together) == pytest.approx(ms(600, 6, QUARTER_CORE), rel=0.02)


def test_more_cpu_is_never_slower_but_pays_less_and_less():
    times = [ms(600, 6, dataclasses.replace(QUARTER_CORE, cpus=cpus)) for cpus in (0.5, 1, 2, 4, 8, 16)]
    assert times == sorted(times, reverse=True)
    assert times[0] - times[1] > times[1] - times[2] > times[2] - times[3]


def test_the_prediction_is_against_one_such_worker_alone():
    plan = planned(ask())
    assert 1 < plan.prediction.speedup < plan.workers
    assert plan.prediction.training_seconds == pytest.approx(1000 * plan.prediction.seconds_per_step)


class Backwards:
    """A model in which less CPU is faster."""

    source = "nonsense"

    def seconds_per_step(self, batch_size: int, workers: int, sync_period: int, place: WorkerPlace) -> float:
        return batch_size * workers * sync_period * place.cpus


def test_another_model_can_be_given_and_decides():
    plan = decide(ask(worker_cpu=0), TRIAL, Backwards())
    assert plan.prediction.source == "nonsense"
    assert (
        plan.layout.pod("worker").cpu_millicores
        < planned(ask(worker_cpu=0)).layout.pod("worker").cpu_millicores
    )
