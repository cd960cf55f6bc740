"""The plan's prediction: what the training program's cost model says of a planned worker's place."""

import dataclasses

import pytest

from stacks.capacity.planner import decide
from stacks.capacity.speed import COST_MODEL, CostModel, WorkerPlace
from tests.stacks.capacity.asked import TRIAL, ask, planned
from training import cost_model

QUARTER_CORE = WorkerPlace(cpus=0.25, coremark=20.1, network_gbit_s=1000, workers_per_node=1)


def ms(batch: int, workers: int, place: WorkerPlace, sync_period: int = 1) -> float:
    return 1000 * COST_MODEL.seconds_per_step(batch, workers, sync_period, place)


@pytest.mark.parametrize(("workers", "sync_period"), [(1, 1), (6, 1), (6, 10), (7, 1)])
def test_it_is_what_the_training_programs_model_says_of_a_quarter_of_the_measured_core(workers, sync_period):
    machine = cost_model.Machine(core=0.25, network_gbit_s=1000, workers_per_node=1)
    expected = cost_model.seconds_per_step(600, workers, sync_period, machine)
    assert ms(600, workers, QUARTER_CORE, sync_period) == pytest.approx(1000 * expected)


def test_a_faster_vcpu_counts_by_its_coremark_score():
    faster = dataclasses.replace(QUARTER_CORE, coremark=2 * 20.1)
    assert ms(600, 1, faster) == pytest.approx(ms(600, 1, QUARTER_CORE) / 2)


def test_other_costs_of_the_model_give_other_times():
    costly = CostModel(costs=dataclasses.replace(cost_model.MNIST, example_ms=10.0))
    assert costly.seconds_per_step(600, 6, 1, QUARTER_CORE) > COST_MODEL.seconds_per_step(
        600, 6, 1, QUARTER_CORE
    )


def test_a_slow_network_adds_the_time_on_the_wire():
    slow = dataclasses.replace(QUARTER_CORE, network_gbit_s=0.1)
    assert ms(600, 6, slow) > 2 * ms(600, 6, QUARTER_CORE)


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


def test_it_says_how_many_workers_pay():
    most = planned(ask()).prediction.most_useful_workers
    assert 6 <= most < 600
    slow = dataclasses.replace(QUARTER_CORE, network_gbit_s=0.01)
    assert COST_MODEL.most_useful_workers(600, 1, slow) < most


class Backwards:
    """A model in which less CPU is faster."""

    source = "nonsense"

    def seconds_per_step(self, batch_size: int, workers: int, sync_period: int, place: WorkerPlace) -> float:
        return batch_size * workers * sync_period * place.cpus

    def most_useful_workers(self, batch_size: int, sync_period: int, place: WorkerPlace) -> int:
        return 1


def test_another_model_can_be_given_and_decides():
    plan = decide(ask(worker_cpu=0), TRIAL, Backwards())
    assert plan.prediction.source == "nonsense"
    assert (
        plan.layout.pod("worker").cpu_millicores
        < planned(ask(worker_cpu=0)).layout.pod("worker").cpu_millicores
    )
