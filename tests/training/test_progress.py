import numpy as np
import pytest

from training.arrangement import StepReports
from training.errors import RunError
from training.members import Server
from training.progress import Progress, check_losses
from training.session import Team, Trained

TEAM = Team(Server("master", "h:1"), (Server("worker0", "h:2"), Server("worker1", "h:3")))


def trained(losses: list[float], duration_s: float, first_step: int = 0) -> Trained:
    values = np.array(losses, np.float32)
    return Trained(first_step, StepReports(values, values, np.array([0.02, 0.04])), duration_s, None)


def test_the_first_call_does_not_count_for_the_speed() -> None:
    progress = Progress(TEAM, batch_size=600)
    progress.add(trained([1.0] * 10, duration_s=50.0))
    assert progress.sec_per_step is None
    assert progress.first_sec_per_step == 5.0
    for duration_s in (1.0, 9.0, 2.0):
        progress.add(trained([1.0] * 10, duration_s))
    assert progress.sec_per_step == pytest.approx(0.2), "the median: one slow call says nothing"
    assert progress.busy_s_per_example == pytest.approx(0.03 / 300)
    assert progress.loss == 1.0


def test_an_answer_without_steps_changes_nothing() -> None:
    progress = Progress(TEAM, batch_size=600)
    progress.add(Trained(10, None, 0.0, None))
    assert progress.calls == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_loss_that_is_no_number_names_its_step(value) -> None:
    check_losses(trained([1.0, 0.0], 1.0), 0.1, checkpoint_step=0)
    with pytest.raises(RunError, match=r"the loss is .* at step 33: .* checkpoint of step 20 is intact: "):
        check_losses(trained([1.0, 1.0, value], 1.0, first_step=30), 0.1, checkpoint_step=20)
    with pytest.raises(RunError, match=r"the loss is .* at step 1: .* There is no checkpoint yet: lower"):
        check_losses(trained([value], 1.0), 0.1, checkpoint_step=0)
