"""Training runs over a stack's life, through the real engine, with a coordinator that only plays them."""

import json
import os
import signal
from pathlib import Path

import pytest

from provider.local.identity import ProcessIdentity, identify
from tests.provider.local.stack import provider_of, wait_until


@pytest.fixture
def run(stack):
    """A stack with two servers and a short run, not up yet."""
    train(stack)
    return stack


def train(stack, task="play.quick", steps=50, **settings):
    """Ask for a run; what the coordinator plays is named by its task."""
    stack.engine.configure(settings=json.dumps({"task": task, "steps": steps, **settings}))


def coordinator(stack) -> ProcessIdentity:
    """Return the coordinator of the newest run."""
    newest = max(stack.runs_dir.iterdir())
    return ProcessIdentity(**json.loads((newest / "run.json").read_text())["process"])


def folders(stack) -> list[str]:
    """Return the names of the runs' folders."""
    return sorted(folder.name for folder in stack.runs_dir.iterdir())


def test_a_preview_promises_results_and_starts_nothing(run):
    shown = run.engine.preview().checked().text
    assert "testAccuracy" not in shown.split("--outputs:--")[0]
    assert "testAccuracy: [unknown]" in shown
    assert not run.runs_dir.exists()


def test_an_up_trains_once_and_returns_the_results(run):
    text = run.engine.up().checked().text
    outputs = run.engine.outputs()
    assert (outputs["status"], outputs["testAccuracy"], outputs["steps"]) == ("succeeded", 0.987, 50)
    folder = Path(outputs["runDir"])
    assert folder.parent == run.runs_dir
    assert folder.name.startswith("test-2")
    assert outputs["follow"] == f"cat {folder}/train.log"
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["members"] == f"file:{run.state_dir}/members.json"
    assert (settings["task"], settings["steps"], settings["workers"]) == ("play.quick", 50, 2)
    assert "test accuracy 0.987" in text[text.index("Diagnostics:") :], "plain lines stay on the terminal"

    assert "4 unchanged" in run.engine.up().checked().text
    assert len(folders(run)) == 1


def test_another_run_id_code_setting_or_number_of_workers_trains_again(run):
    run.engine.up().checked()
    for number, change in enumerate([{"runId": "again"}, {"codeHash": "other"}, {"workers": 3}], start=2):
        run.engine.configure(**change)
        run.engine.up().checked()
        assert len(folders(run)) == number, change
    train(run, seed=7)
    run.engine.up().checked()
    assert len(folders(run)) == 5


def test_progress_reaches_the_terminal_while_the_run_goes_on(run):
    train(run, "play.slow", steps=300)
    up = run.engine.start("up", "--yes", "--skip-preview")
    line = up.wait_for("of 300: accuracy")
    assert "LocalRun training" in line, "on the resource's own row"
    assert "0.010 s a step" in line
    assert coordinator(run).is_alive
    up.wait().checked()


def test_a_failed_run_says_why_leaves_no_state_and_is_run_again_by_the_next_up(run):
    train(run, "play.failing")
    ended = run.engine.up()
    assert ended.code != 0
    assert (
        "error: training: the run failed: the loss is not a number at step 7: lower learningRate"
        in ended.text
    )
    assert f"The log is {run.runs_dir}/test-2" in ended.text
    assert "warning: it does not look good" in ended.text
    assert "training" not in run.engine.resources()
    assert all(server.process.is_alive for server in run.servers()), "the servers stay"

    train(run)
    run.engine.up().checked()
    assert len(folders(run)) == 2


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (
            "play.silent",
            "the coordinator ended with exit code 0 without a complete result record after 'run with",
        ),
        ("play.killed", "the coordinator was killed after 'run with seed 1"),
    ],
)
def test_an_end_without_a_result_record_is_a_failure_whatever_the_exit_code(run, task, reason):
    train(run, task)
    ended = run.engine.up()
    assert ended.code != 0
    assert reason in ended.text


def test_a_coordinator_that_lingers_after_its_result_is_ended_and_the_run_has_succeeded(run):
    train(run, "play.lingering")
    run.engine.up().checked()
    assert run.engine.outputs()["status"] == "succeeded"
    assert not coordinator(run).is_alive


@pytest.mark.parametrize("task", ["play.slow", "play.stubborn"])
def test_an_interrupt_stops_the_run_keeps_the_servers_and_the_next_up_works(run, task):
    train(run, task, steps=100000)
    up = run.engine.start("up", "--yes", "--skip-preview")
    up.wait_for("of 100000: accuracy")
    up.interrupt()
    ended = up.wait()
    assert ended.code != 0
    assert "error: training: interrupted, the run was stopped after step" in ended.text
    assert "The servers stay; `pulumi up` trains again" in ended.text
    assert not coordinator(run).is_alive
    assert all(server.process.is_alive for server in run.servers())

    train(run)
    run.engine.up().checked()


def test_a_run_whose_provider_is_killed_ends_by_itself_and_the_next_up_trains_again(run):
    train(run, "play.slow", steps=100000)
    up = run.engine.start("up", "--yes", "--skip-preview")
    up.wait_for("of 100000: accuracy")
    left = coordinator(run)
    os.kill(provider_of(up), signal.SIGKILL)
    assert up.wait().code != 0
    wait_until(lambda: not left.is_alive)
    assert all(server.process.is_alive for server in run.servers())

    train(run)
    run.engine.up().checked()
    assert len(folders(run)) == 2


def test_an_engine_that_is_killed_leaves_neither_provider_nor_run(run):
    train(run, "play.slow", steps=100000)
    up = run.engine.start("up", "--yes", "--skip-preview")
    up.wait_for("of 100000: accuracy")
    left = [coordinator(run), identify(provider_of(up))]
    up.kill()
    wait_until(lambda: not any(process.is_alive for process in left))


def test_a_run_that_is_not_waited_for_goes_on_and_is_taken_in_when_it_has_ended(run):
    train(run, "play.slow", steps=300)
    run.engine.configure(wait="no")
    text = run.engine.up().checked().text
    outputs = run.engine.outputs()
    assert outputs["status"] == "running"
    assert "testAccuracy" not in outputs
    assert outputs["follow"] == f"tail -n +1 -f {outputs['runDir']}/train.log"
    assert f"follow it with `{outputs['follow']}`" in text
    assert coordinator(run).is_alive, "it outlives the up"

    wait_until(lambda: not coordinator(run).is_alive)
    assert f"the run in {outputs['runDir']} has succeeded" in run.engine.up().checked().text
    assert run.engine.outputs()["status"] == "succeeded"
    assert len(folders(run)) == 1


def test_a_refresh_takes_in_a_run_that_has_ended_and_forgets_one_that_failed(run):
    train(run, "play.slow", steps=100)
    run.engine.configure(wait="no")
    run.engine.up().checked()
    wait_until(lambda: not coordinator(run).is_alive)
    run.engine.refresh().checked()
    assert run.engine.resources()["training"]["outputs"]["testAccuracy"] == 0.987

    train(run, "play.failing")
    run.engine.up().checked()
    wait_until(lambda: not coordinator(run).is_alive)
    assert "the loss is not a number at step 7" in run.engine.refresh().checked().text
    assert "training" not in run.engine.resources()


def test_more_workers_leave_a_run_in_progress_alone_and_another_setting_replaces_it(run):
    train(run, "play.slow", steps=100000)
    run.engine.configure(wait="no")
    run.engine.up().checked()
    first = coordinator(run)

    run.engine.configure(workers=3)
    run.engine.up().checked()
    assert coordinator(run) == first
    assert first.is_alive
    assert len(run.members()["worker"]) == 3

    train(run, "play.slow", steps=100000, seed=2)
    assert "stopping the run in" in run.engine.up().checked().text
    assert not first.is_alive
    assert coordinator(run).is_alive

    ended = run.engine.destroy().checked().text
    assert not coordinator(run).is_alive
    assert f"kept the run history in {run.runs_dir}" in ended
    assert len(folders(run)) == 2
    assert not run.state_dir.exists()


def test_waiting_later_joins_the_run_that_goes_on(run):
    train(run, "play.slow", steps=600)
    run.engine.configure(wait="no")
    run.engine.up().checked()
    run.engine.configure(wait="yes")
    run.engine.up().checked()
    assert run.engine.outputs()["status"] == "succeeded"
    assert len(folders(run)) == 1


def test_a_run_has_its_time_and_no_more(run):
    train(run, "play.stubborn", steps=100000, train_timeout_s=1)
    ended = run.engine.up()
    assert ended.code != 0
    assert (
        "training: the run was stopped because trainTimeoutSeconds=1 have passed. It had reached 'step "
        in ended.text
    )
    assert not coordinator(run).is_alive


def test_resume_goes_on_in_the_folder_of_the_failed_run_and_only_for_the_same_work(run):
    train(run, "play.failing")
    assert run.engine.up().code != 0
    train(run, "play.failing", resume=True)
    run.engine.configure(workers=3)
    assert run.engine.up().code != 0
    (folder,) = folders(run)
    log = (run.runs_dir / folder / "train.log").read_text()
    assert "resume False" in log
    assert "resume True" in log

    train(run, "play.quick", resume=True)
    run.engine.up().checked()
    assert len(folders(run)) == 2


def test_settings_that_training_refuses_are_refused_in_the_preview(run):
    train(run, steps=0)
    ended = run.engine.preview()
    assert ended.code != 0
    assert "steps=0 is too small: it must be at least 1" in ended.text
