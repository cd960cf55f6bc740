"""A run that chooses itself how many of the offered workers it uses.

The tiny network computes almost nothing: no further worker can pay.
"""

import pytest

from tests.training.cluster import Cluster

AUTO = {"workers_min": 1, "workers_max": 4, "workers": 4, "worker_gain_min": 0.9}


@pytest.fixture
def cluster(fork_server, tmp_path):
    cluster = Cluster(fork_server, tmp_path)
    cluster.start("master", "worker0", "worker1", "worker2", "worker3")
    yield cluster
    cluster.close()


def test_the_number_of_workers_follows_what_each_adds(cluster) -> None:
    run = cluster.run(steps=100_000, **AUTO)
    run.wait_for_log("workers auto: 1 -> 2: trying whether worker 2 pays")
    run.wait_for_log("workers auto: 2 -> 1: worker 2 adds")
    step = run.step()
    run.wait_for_step(step + 20)
    run.stop()
    assert {event["workers"] for event in run.events("step")} == {1, 2}
    assert run.losses()


def test_the_result_names_the_number_to_keep(cluster) -> None:
    run = cluster.completed_run(steps=100, **AUTO)
    assert run.result().recommended_workers == 1
