import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.liveness import is_alive
from tests.training.cluster import Cluster
from training.checkpoints import CheckpointStore
from training.result import ResultError


@pytest.fixture(scope="module")
def shared_cluster(fork_server, tmp_path_factory):
    found = Cluster(fork_server, tmp_path_factory.mktemp("cluster"))
    found.start("master", "worker0", "worker1", "worker2")
    yield found
    found.close()


@pytest.fixture
def cluster(shared_cluster):
    yield shared_cluster
    shared_cluster.assert_none_died()


def test_a_run_trains_the_real_network_on_real_mnist(cluster) -> None:
    run = cluster.completed_run(
        task="training.tasks.mnist",
        steps=60,
        batch_size=300,
        learning_rate=0.001,
        measure_speedup=True,
        workers=3,
    )
    result, losses = run.result(), run.losses()
    assert result.test_accuracy > 0.8
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    assert (result.steps, result.workers, result.complete) == (60, 3, True)
    assert result.speedup
    assert result.speedup > 0.1
    assert result.efficiency == pytest.approx(result.speedup / 3)
    assert result.examples_per_sec == pytest.approx(300 / result.sec_per_step)
    assert result.final_loss == pytest.approx(losses[-1])


def test_a_run_tells_its_story_in_lines_in_json_and_in_curves(cluster) -> None:
    run = cluster.completed_run(steps=25, seed=3)
    rows = [line.split() for line in run.log().splitlines() if re.match(r" +\d+ +\d\.\d+ ", line)]
    assert [row[0] for row in rows] == ["10", "20", "25"]
    assert all(len(row) == 7 for row in rows)
    assert "test accuracy" in run.log().splitlines()[-1]
    assert [event["phase"] for event in run.events("phase")] == ["data", "wait", "train", "score"]
    steps = run.events("step")
    assert [event["step"] for event in steps] == list(range(1, 26))
    assert {"loss", "accuracy", "sec_per_step", "examples_per_sec", "workers", "time_left_s"} <= set(steps[0])
    assert len(run.events("result")) == 1
    curves = EventAccumulator(str(run.run_dir / "events")).Reload()
    points = curves.Scalars("loss")
    assert [point.step for point in points] == list(range(1, 26))
    assert [point.value for point in points] == pytest.approx([event["loss"] for event in steps])


def test_the_same_seed_gives_the_same_losses_and_another_one_others(cluster) -> None:
    first, again, other = (cluster.completed_run(steps=30, seed=seed) for seed in (7, 7, 8))
    assert [f"{loss:.6f}" for loss in first.losses()] == [f"{loss:.6f}" for loss in again.losses()]
    assert first.losses()[0] != pytest.approx(other.losses()[0], abs=1e-3)


def test_a_task_of_ones_own_learns(cluster) -> None:
    run = cluster.completed_run(steps=300, learning_rate=0.02)
    assert run.result().test_accuracy > 0.85, "four directions: chance is about 0.25"
    assert run.result().data_source == "synthetic points"


def test_servers_that_do_not_answer_are_named_with_what_they_answered(cluster, tmp_path) -> None:
    members = json.loads(cluster.members_file.read_text())
    members["worker"].append({"name": "worker3", "address": "127.0.0.1:1"})
    (tmp_path / "members.json").write_text(json.dumps(members))
    run = cluster.run(members=f"file:{tmp_path / 'members.json'}", cluster_wait_s=1.0, workers=5)
    assert run.exit_code() == 1
    last = run.log().splitlines()[-1]
    assert last.startswith("error: servers are missing after 1 s: ")
    assert "worker3 (127.0.0.1:1): connection refused" in last
    assert "worker4: not listed by the membership source" in last
    assert "raise cluster_wait_s" in last
    with pytest.raises(ResultError):
        run.result()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_run_that_is_told_to_stop_stops_and_leaves_no_record_and_no_process(cluster, number, code) -> None:
    run = cluster.run(steps=100_000)
    run.wait_for_step(10)
    children = run.session_pids()
    assert {address for pid in children for address in listening(pid)} == {"127.0.0.1"}
    os.kill(run.pid, number)
    assert run.exit_code() == code
    assert not any(is_alive(pid) for pid in children)
    assert "told to stop by" in run.log().splitlines()[-1]
    with pytest.raises(ResultError):
        run.result()


def test_a_run_stops_with_its_parent(cluster, tmp_path) -> None:
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    settings = {
        "members": f"file:{cluster.members_file}",
        "task": "tests.training.tiny_task",
        "steps": 100_000,
    }
    (run_dir / "settings.json").write_text(json.dumps(settings))
    command = [
        sys.executable,
        "-m",
        "training",
        "coordinate",
        "--run-dir",
        str(run_dir),
        "--stop-with-parent",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if "training from step 0" in line:
                break
        assert process.stdin
        process.stdin.close()
        rest = process.stdout.read()
    assert process.returncode == 143
    assert "its parent has ended" in rest


def test_a_run_has_a_deadline_that_says_how_far_it_came(cluster) -> None:
    run = cluster.run(steps=1_000_000, train_timeout_s=6.0)
    assert run.exit_code() == 1
    last = run.log().splitlines()[-1]
    assert last.startswith("error: the run did not end within train_timeout_s=6: it was ")
    assert "Raise it, or lower steps" in last


def test_an_interrupted_run_resumes_where_its_checkpoint_is(cluster, tmp_path) -> None:
    whole = cluster.completed_run(steps=80)
    cluster.completed_run(tmp_path / "run", steps=40)
    second = cluster.completed_run(tmp_path / "run", steps=80, resume=True)
    assert "resuming from the checkpoint of step 40" in second.log()
    assert second.losses() == pytest.approx(whole.losses(), abs=1e-4)


def test_a_run_without_resume_starts_anew(cluster, tmp_path) -> None:
    cluster.completed_run(tmp_path / "run", steps=40)
    run = cluster.completed_run(tmp_path / "run", steps=10)
    assert "resuming" not in run.log()
    assert "starting anew: the checkpoint of step 40, which an earlier run left here, is removed" in run.log()
    assert [event["step"] for event in run.events("step")] == [*range(1, 41), *range(1, 11)]
    assert CheckpointStore(tmp_path / "run" / "checkpoints", 3).steps() == [10]


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoints(cluster, tmp_path) -> None:
    cluster.completed_run(tmp_path / "run", steps=40)
    run = cluster.run(tmp_path / "run", steps=5000, learning_rate=1e30, resume=True)
    assert run.exit_code() == 1
    last = run.log().splitlines()[-1]
    assert "error: the loss is " in last
    assert "lower learning_rate (now 1e+30)" in last
    assert "The checkpoint of step 40 is intact" in last
    assert CheckpointStore(run.run_dir / "checkpoints", 3).load(40).step == 40


def test_a_checkpoint_that_can_not_be_read_is_named(cluster, tmp_path) -> None:
    cluster.completed_run(tmp_path / "run", steps=20)
    newest = sorted((tmp_path / "run" / "checkpoints").glob("*.npz"))[-1]
    newest.write_bytes(newest.read_bytes()[:-10])
    run = cluster.run(tmp_path / "run", steps=30, resume=True)
    assert run.exit_code() == 1
    assert f"error: the checkpoint {newest} can't be read" in run.log()
    with pytest.raises(ResultError):
        run.result()


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mounts a small file system")
def test_a_full_disk_ends_the_run_and_keeps_the_earlier_checkpoints(cluster, tmp_path) -> None:
    run_dir = tmp_path / "run"
    run_dir.mkdir()
    cluster.completed_run(run_dir, steps=20)
    store = CheckpointStore(run_dir / "checkpoints", 3)
    kept = store.steps()
    mounted = tmp_path / "small"
    mounted.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mounted)], check=True)
    try:
        (run_dir / "checkpoints").rename(run_dir / "earlier")
        subprocess.run(["cp", "-r", str(run_dir / "earlier"), str(mounted / "checkpoints")], check=True)
        (run_dir / "checkpoints").symlink_to(mounted / "checkpoints")
        _fill(mounted)
        run = cluster.run(run_dir, steps=30, resume=True)
        assert run.exit_code() == 1
        last = run.log().splitlines()[-1]
        assert "error: the checkpoint of step 30 can't be written to" in last
        assert "No space left on device. The checkpoint of step 20 is intact" in last
        assert store.steps() == kept
        assert store.load(kept[-1]).step == 20
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def _fill(folder: Path) -> None:
    with (folder / "filler").open("wb", buffering=0) as stream:
        try:
            while stream.write(bytes(4096)):
                pass
        except OSError:
            pass


def test_settings_that_do_not_hold_are_told_in_one_line(tmp_path) -> None:
    (tmp_path / "settings.json").write_text('{"members": "nowhere", "steps": 0}')
    command = [sys.executable, "-m", "training", "coordinate", "--run-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith("error: the run's settings don't hold: - steps=0")


def test_settings_and_record_may_be_elsewhere(cluster, tmp_path) -> None:
    settings = {"members": f"file:{cluster.members_file}", "task": "tests.training.tiny_task", "steps": 10}
    (tmp_path / "mounted.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "training", "coordinate", "--run-dir", str(tmp_path / "runs" / "a")]
    command += ["--settings", str(tmp_path / "mounted.json"), "--record", str(tmp_path / "termination")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | proxies())
    assert done.returncode == 0, done.stdout + done.stderr
    record = (tmp_path / "termination").read_text()
    assert json.loads(record)["complete"] is True
    assert len(record) <= 4096
    assert record == (tmp_path / "runs" / "a" / "result.json").read_text()


def listening(pid: int) -> set[str]:
    """The addresses on which a process accepts connections: the coordinator's own server is one of them."""
    connections = psutil.Process(pid).net_connections("tcp")
    return {found.laddr.ip for found in connections if found.status == psutil.CONN_LISTEN}


def proxies() -> dict[str, str]:
    """Proxies that don't exist: a run that dialled its servers through them would never end."""
    return dict.fromkeys(("http_proxy", "https_proxy", "grpc_proxy", "HTTPS_PROXY"), "http://127.0.0.1:9")
