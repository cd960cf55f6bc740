import numpy as np
import pytest

from training.arrangement import StepReports
from training.members import Server
from training.progress import Progress
from training.session import Team, Trained
from training.speedup import bound_sentence, speedup


def progress(workers: int, sec_per_step: float, busy_s: float) -> Progress:
    team = Team(Server("master", "h:1"), tuple(Server(f"worker{n}", f"h:{n + 2}") for n in range(workers)))
    found = Progress(team, batch_size=600)
    reports = StepReports(np.ones(10, np.float32), np.ones(10, np.float32), np.full(workers, busy_s))
    for _ in range(2):
        found.add(Trained(0, reports, 10 * sec_per_step, None))
    return found


def test_a_speedup_is_one_workers_time_over_that_of_all() -> None:
    found = speedup(0.2, progress(4, 0.1, 0.04), ["10.0.0.1:2222"])
    assert found.times == pytest.approx(2.0)
    assert found.efficiency == pytest.approx(0.5)


def test_one_worker_is_compared_with_itself() -> None:
    assert speedup(None, progress(1, 0.1, 0.1), []).times == 1.0


def test_what_was_not_measured_is_not_made_up() -> None:
    found = speedup(None, progress(4, 0.1, 0.04), ["10.0.0.1:2222"])
    assert (found.times, found.efficiency) == (None, None)


@pytest.mark.parametrize(
    ("workers", "is_one_machine", "busy_s", "sentence"),
    [
        (6, True, 0.09, "this machine has 2 cores, which 6 workers share"),
        (2, True, 0.09, "computing takes 90% of a step, exchanging the model the rest"),
        (6, False, 0.02, "exchanging the model and waiting take 80% of a step"),
    ],
)
def test_the_bound_is_the_cores_the_exchange_or_the_computing(
    workers, is_one_machine, busy_s, sentence
) -> None:
    assert bound_sentence(workers, 2, is_one_machine, progress(workers, 0.1, busy_s)) == sentence
