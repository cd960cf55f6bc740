"""A user's day with the `local` stack: real engine, real processes, real MNIST.

The tests of this module are steps of one story and rely on the order in which they stand.
"""

import json
import socket

import psutil
import pytest

from tests.liveness import is_alive
from tests.run_events import run_events

STEPS = 80


def listening_addresses(pid):
    return {
        connection.laddr.ip
        for connection in psutil.Process(pid).net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }


def test_wrong_settings_are_all_named_before_anything_is_created(clone):
    clone.configure(workers="two", worker="2", steps="none")
    refused = clone.up()
    clone.run("config", "rm", "worker").checked()
    assert refused.code != 0
    assert "worker=2 is not a setting: did you mean `workers`?" in refused.text
    assert "workers=two is not a whole number" in refused.text
    assert "steps=none is not a whole number" in refused.text
    assert "Traceback" not in refused.text
    assert not (clone.project / ".state").exists()


def test_one_up_leads_from_nothing_to_a_trained_network(clone):
    clone.configure(workers=2, steps=STEPS)
    up = clone.up().checked()
    outputs = clone.outputs()
    assert outputs["status"] == "succeeded"
    assert outputs["steps"] == STEPS
    assert outputs["test_accuracy"] > 0.8, up.text  # chance is 0.1
    assert outputs["workers"] == outputs["recommended_workers"] == 2
    assert outputs["sec_per_step"] > 0
    assert outputs["examples_per_sec"] == pytest.approx(600 / outputs["sec_per_step"], rel=0.05)
    assert outputs["speedup"] > 0


def test_the_run_history_tells_what_happened(clone):
    (run,) = clone.runs
    assert clone.outputs()["run_dir"] == str(run)
    losses = [event["loss"] for event in run_events(run, "step")]
    assert losses[-1] < losses[0] / 2
    assert json.loads((run / "result.json").read_text())["complete"] is True
    assert json.loads((run / "settings.json").read_text())["steps"] == STEPS
    assert list((run / "events").glob("**/events.out.tfevents.*"))
    assert "test accuracy" in (run / "train.log").read_text()


def test_the_servers_outlive_the_up_and_listen_on_the_loopback_address_alone(clone):
    running = clone.server_pids()
    assert set(running) == {"master", "worker0", "worker1"}
    for pid in running.values():
        assert listening_addresses(pid) == {"127.0.0.1"}


def test_the_second_up_changes_nothing_and_trains_nothing(clone):
    before = clone.server_pids(), clone.outputs()
    again = clone.up().checked()
    assert "unchanged" in again.text
    assert not [
        word for word in ("created", "updated", "replaced") if word in again.text.split("Resources:")[1]
    ]
    assert (clone.server_pids(), clone.outputs()) == before
    assert len(clone.runs) == 1


def test_another_worker_leaves_the_running_servers_alone(clone):
    before = clone.server_pids()
    clone.configure(workers=3)
    clone.up().checked()
    after = clone.server_pids()
    assert before.items() < after.items()
    assert set(after) - set(before) == {"worker2"}
    assert clone.outputs()["workers"] == 3
    assert len(clone.runs) == 2


def test_fewer_workers_stop_only_the_difference(clone):
    before = clone.server_pids()
    clone.configure(workers=1, measureSpeedup=False, steps=10)
    clone.up().checked()
    assert clone.server_pids() == {name: before[name] for name in ("master", "worker0")}
    assert not is_alive(before["worker2"])


def test_destroy_leaves_nothing_but_the_run_history(clone):
    ran = clone.servers()
    history = clone.runs
    destroyed = clone.destroy().checked()
    assert "kept" in destroyed.text
    for server in ran:
        assert not is_alive(server["pid"])
        host, port = server["address"].split(":")
        with socket.socket() as probe:
            assert probe.connect_ex((host, int(port))) != 0
    assert clone.runs == history
    assert not [
        path for path in (clone.project / ".state").rglob("*") if path.is_file() and "stacks" in path.parts
    ]
