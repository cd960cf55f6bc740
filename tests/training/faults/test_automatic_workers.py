"""A run that chooses itself how many of the offered workers it uses."""

from tests.training.cluster import Cluster


def test_the_number_of_workers_follows_what_each_adds(fork_server, tmp_path) -> None:
    cluster = Cluster(fork_server, tmp_path)
    cluster.start("master", "worker0", "worker1", "worker2", "worker3")
    try:
        # the tiny network computes almost nothing: no further worker can pay
        run = cluster.run(steps=3000, workers_min=1, workers_max=4, workers=4, worker_gain_min=0.9)
        assert run.exit_code() == 0, run.log()
    finally:
        cluster.close()
    assert "workers auto: 1 -> 2: trying whether worker 2 pays" in run.log()
    assert "workers auto: 2 -> 1: worker 2 adds" in run.log()
    assert "workers auto: keep 1; " in run.log()
    assert run.result().recommended_workers == 1
    assert {event["workers"] for event in run.events("step")} == {1, 2}
    assert run.losses()
