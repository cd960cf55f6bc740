import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.training.cluster import TINY_TASK, Cluster

MNIST = "training.tasks.mnist"


@pytest.fixture(scope="module")
def cluster(fork_server, tmp_path_factory):
    found = Cluster(fork_server, tmp_path_factory.mktemp("cluster"))
    found.start("master", *(f"worker{number}" for number in range(7)))
    yield found
    found.close()


def losses_of(cluster: Cluster, *cases: dict[str, Any]) -> list[np.ndarray]:
    """Return each case's losses; what it leaves out is the tiny task on one worker, 600 examples a step."""
    usual = {
        "task": TINY_TASK,
        "workers": 1,
        "withheld": None,
        "steps": 50,
        "batch": 600,
        "rate": 0.001,
        "period": 1,
    }
    wanted = json.dumps([usual | case for case in cases])
    command = [sys.executable, "-m", "tests.training.losses_of_teams", str(cluster.members_file), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    return [np.array(losses) for losses in json.loads(done.stdout)]


def test_any_number_of_workers_gives_the_losses_of_one_on_the_same_batches(cluster) -> None:
    alone, two, seven = losses_of(cluster, {}, {"workers": 2}, {"workers": 7})
    assert len(alone) == 50
    assert two == pytest.approx(alone, abs=1e-4)
    assert seven == pytest.approx(alone, abs=1e-4), "600 over 7 workers are shares of 86 and 85"


def test_the_real_network_gives_the_losses_of_one_worker_too(cluster) -> None:
    # at the write-up's single-machine rate: at 0.001 a ReLU that flips on a rounding error
    # has become 5e-4 of loss by step 50
    alone, three, six = losses_of(
        cluster,
        {"task": MNIST, "rate": 1e-4},
        {"task": MNIST, "rate": 1e-4, "workers": 3},
        {"task": MNIST, "rate": 1e-4, "workers": 6},
    )
    assert three == pytest.approx(alone, abs=1e-4)
    assert six == pytest.approx(alone, abs=1e-4), "six workers are two groups of three"
    assert alone[-10:].mean() < 0.7 * alone[:10].mean()


def test_at_the_usual_rate_the_real_network_stays_close_too(cluster) -> None:
    alone, six = losses_of(cluster, {"task": MNIST}, {"task": MNIST, "workers": 6})
    assert six[:15] == pytest.approx(alone[:15], abs=1e-4)
    assert six == pytest.approx(alone, abs=3e-3), (
        "rounding grows from there on, as it does with any order of sums"
    )


def test_the_same_seed_and_workers_give_the_very_same_losses(cluster) -> None:
    one, other = losses_of(cluster, *[{"task": MNIST, "workers": 6}] * 2)
    assert one.tolist() == other.tolist()


def test_workers_really_exchange_gradients(cluster) -> None:
    whole, without_second = losses_of(cluster, {"workers": 2}, {"workers": 2, "withheld": 1})
    assert without_second[0] == pytest.approx(whole[0], abs=1e-6), "the first loss is before any gradient"
    assert abs(without_second[-10:] - whole[-10:]).min() > 1e-3, "ten times what a different sum order may do"


def test_averaging_trains_as_well_and_a_period_beyond_the_run_exchanges_nothing(cluster) -> None:
    exact, averaged, apart = losses_of(
        cluster,
        *({"workers": 3, "steps": 120, "period": period, "rate": 0.01} for period in (1, 4, 1000)),
    )
    assert averaged[:4] == pytest.approx(apart[:4], abs=1e-6), "the first mean is taken after four steps"
    assert abs(averaged[10:] - apart[10:]).max() > 1e-3, "then models are exchanged"
    assert averaged[-10:].mean() == pytest.approx(exact[-10:].mean(), abs=0.1)


def test_one_worker_has_nothing_to_average(cluster) -> None:
    exact, averaged = losses_of(cluster, {}, {"period": 10})
    assert averaged == pytest.approx(exact, abs=1e-6)
