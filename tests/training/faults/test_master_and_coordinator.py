"""The master's server and the coordinator, killed in the middle of a run."""

import os
import signal

import pytest

from tests.liveness import ends, is_alive
from tests.training.cluster import Cluster
from training.checkpoints import CheckpointStore

STEPS = 400


@pytest.fixture
def cluster(fork_server, tmp_path):
    found = Cluster(fork_server, tmp_path)
    found.start("master", "worker0", "worker1")
    yield found
    found.close()


def test_a_killed_master_is_restored_from_the_last_checkpoint(cluster) -> None:
    undisturbed = cluster.completed_run(steps=STEPS)
    run = cluster.run(steps=STEPS, checkpoint_period_s=0.2)
    run.wait_for_step(60)
    cluster.kill("master")
    run.wait_for_log("lost the master, master")
    warning = next(line for line in run.log().splitlines() if "lost the master" in line)
    assert "it finished step " in warning
    assert "held the model" in warning
    cluster.start("master")
    assert run.exit_code() == 0, run.log()
    assert "the last checkpoint" in run.log()
    assert run.losses() == pytest.approx(undisturbed.losses(), abs=1e-4), "no silent jump of the loss"
    assert run.result().complete


def test_a_master_that_stays_away_is_stood_in_for_by_a_worker(cluster) -> None:
    run = cluster.run(steps=STEPS, peer_timeout_s=2.0, checkpoint_period_s=0.2)
    run.wait_for_step(60)
    cluster.kill("master")
    assert run.exit_code() == 0, run.log()
    assert "warning: the master has not answered for 2 s: worker0" in run.log()
    assert run.result().steps == STEPS


def test_a_killed_coordinator_leaves_the_servers_and_resumes(cluster, tmp_path) -> None:
    undisturbed = cluster.completed_run(steps=STEPS)
    run = cluster.run(tmp_path / "run", steps=STEPS, checkpoint_period_s=0.2)
    run.wait_for_step(60)
    children = run.session_pids()
    assert children
    os.kill(run.pid, signal.SIGKILL)
    assert run.exit_code() == -signal.SIGKILL
    assert all(ends(pid) for pid in children), "its session must end with it"
    assert all(is_alive(pid) for pid in cluster.pids.values())
    assert not (tmp_path / "run" / "result.json").exists()

    checkpoints = tmp_path / "run" / "checkpoints"
    newest = CheckpointStore(checkpoints, 3).steps()[-1]
    (checkpoints / f"state-{newest + 10:08d}.npz").write_bytes(b"half a checkpoint: killed before its marker")
    resumed = cluster.run(tmp_path / "run", steps=STEPS, resume=True)
    assert resumed.exit_code() == 0, resumed.log()
    assert f"resuming from the checkpoint of step {newest}" in resumed.log()
    assert resumed.losses() == pytest.approx(undisturbed.losses(), abs=1e-4)
    assert resumed.result().steps == STEPS
