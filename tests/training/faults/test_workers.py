"""Workers that die, freeze, become slow, come back, join and leave in the middle of a run."""

import signal
import threading
import time

import pytest

from tests.training.cluster import Cluster

MANY_STEPS = 1_000_000


@pytest.fixture
def cluster(fork_server, tmp_path):
    found = Cluster(fork_server, tmp_path)
    found.start("master", "worker0", "worker1", "worker2")
    yield found
    found.close()


def long_run(cluster, **settings):
    run = cluster.run(steps=MANY_STEPS, checkpoint_period_s=1.0, **settings)
    run.wait_for_step(50)
    return run


def finished(run) -> bool:
    """Stop a run that has shown what it was to show; it must still be at work."""
    return run.stop() == 143


def workers_now(run) -> int:
    return run.events("step")[-1]["workers"]


def test_a_killed_worker_is_named_and_the_run_goes_on_until_it_rejoins(cluster) -> None:
    run = long_run(cluster)
    cluster.kill("worker1")
    run.wait_for_log("lost a worker, worker1")
    warning = next(line for line in run.log().splitlines() if "lost a worker" in line)
    assert warning.startswith("warning: ")
    assert f"worker1 (127.0.0.1:{cluster.ports['worker1']}): " in warning
    assert "it finished step " in warning
    assert "It rejoins when it answers: start it again if it has ended" in warning
    run.wait_until(lambda: workers_now(run) == 2, "two workers go on")
    reached = run.step()
    cluster.start("worker1")
    run.wait_until(lambda: workers_now(run) == 3, "it rejoins")
    assert run.step() > reached
    assert max(run.losses()[-20:]) < run.losses()[0], "the loss doesn't jump back"
    assert finished(run)


def test_a_frozen_worker_is_set_aside_and_taken_back(cluster) -> None:
    run = long_run(cluster)
    cluster.freeze("worker2")
    run.wait_for_log("lost a worker, worker2")
    assert "did not answer within 2 s; it finished step " in run.log()
    run.wait_until(lambda: workers_now(run) == 2, "two workers go on")
    cluster.signal("worker2", signal.SIGCONT)
    run.wait_until(lambda: workers_now(run) == 3, "it is taken back")
    assert run.losses()
    assert finished(run)


def test_a_worker_slowed_to_a_tenth_is_set_aside_and_taken_back(cluster) -> None:
    # the real network: the tiny one computes too little for slowness to be felt
    run = cluster.run(task="training.tasks.mnist", steps=MANY_STEPS, batch_size=150, learning_rate=0.001)
    run.wait_for_step(60)
    with slowed(cluster, "worker0"):
        run.wait_for_log("worker0 (")
        run.wait_for_log("is slow: it took")
        run.wait_until(lambda: workers_now(run) == 2, "two workers go on")
    run.wait_until(lambda: workers_now(run) == 3, "it is taken back")
    assert run.losses()
    assert finished(run)


class slowed:  # noqa: N801  # reads as a statement
    """Lets a server run for a tenth of the time."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster, self._name, self._is_over = cluster, name, threading.Event()
        self._thread = threading.Thread(target=self._stutter)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._cluster.signal(self._name, signal.SIGCONT)

    def _stutter(self) -> None:
        while not self._is_over.is_set():
            self._cluster.signal(self._name, signal.SIGSTOP)
            time.sleep(0.09)
            self._cluster.signal(self._name, signal.SIGCONT)
            time.sleep(0.01)


def test_workers_join_and_leave_without_a_server_restarted(cluster) -> None:
    run = long_run(cluster)
    pids = dict(cluster.pids)
    cluster.start("worker3", "worker4")
    run.wait_until(lambda: workers_now(run) == 5, "both have joined, together")
    assert 4 not in {event["workers"] for event in run.events("step")}
    cluster.list("master", "worker0", "worker1")
    run.wait_until(lambda: workers_now(run) == 2, "three have left")
    for name in ("worker2", "worker3", "worker4"):
        cluster.kill(name)
    step = run.step()
    run.wait_for_step(step + 50)
    assert {name: pid for name, pid in cluster.pids.items() if name in pids} | {
        "worker2": pids["worker2"]
    } == pids
    assert "lost" not in run.log()
    assert run.losses()
    assert finished(run)


def test_without_any_worker_the_run_waits_then_fails_naming_all(cluster) -> None:
    run = long_run(cluster, cluster_wait_s=3.0)
    for name in ("worker0", "worker1", "worker2"):
        cluster.kill(name)
    assert run.exit_code() == 1
    last = run.log().splitlines()[-1]
    assert last.startswith("error: no worker answers after 3 s: ")
    for name in ("worker0", "worker1", "worker2"):
        assert f"{name} (127.0.0.1:{cluster.ports[name]}): connection refused" in last
    assert not (run.run_dir / "result.json").exists()
