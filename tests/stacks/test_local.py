"""The whole program on the `local` target, with a fake engine."""

import runpy
from pathlib import Path

import pulumi
import pytest

from stacks import local
from stacks.settings import SettingsError, parse
from stacks.stack_file import default_values
from tests.components.mocks import declared

PROJECT = Path(__file__).resolve().parents[2]


def settings(**changes: str):
    return parse(default_values(PROJECT) | changes, "the test")


def run_program():
    configured = {f"tfcluster:{key}": value for key, value in default_values(PROJECT).items()}
    pulumi.runtime.set_all_config(configured)
    runpy.run_path(str(PROJECT / "__main__.py"))


def test_the_program_declares_two_roles_and_a_run_and_nothing_else():
    assert declared(run_program).inventory() == [
        ("tfcluster:index:LocalRun", "training-run"),
        ("tfcluster:index:ServerProcesses", "master-processes"),
        ("tfcluster:index:ServerProcesses", "worker-processes"),
        ("tfcluster:index:Servers", "master"),
        ("tfcluster:index:Servers", "worker"),
        ("tfcluster:index:TrainingRun", "training"),
    ]


def test_two_stacks_keep_their_processes_apart():
    one, other = (declared(lambda: local.declare(settings()), stack=stack) for stack in ("one", "other"))
    places = {recorded.inputs_of("training-run")["stateDir"] for recorded in (one, other)}
    assert len(places) == 2


def test_automatic_workers_start_as_many_servers_as_may_be_used():
    recorded = declared(lambda: local.declare(settings(workers="auto", workersMax="3")))
    assert recorded.inputs_of("worker-processes")["count"] == 3


def test_every_promised_output_is_there():
    outputs = {}
    declared(lambda: outputs.update(local.declare(settings())))
    promised = {
        "test_accuracy", "final_loss", "steps", "sec_per_step", "examples_per_sec", "workers",
        "recommended_workers", "speedup", "efficiency", "bound", "status", "run_dir", "follow",
    }  # fmt: skip
    assert promised <= outputs.keys()


def test_a_task_and_a_data_file_that_are_not_there_are_refused_together():
    with pytest.raises(SettingsError) as error:
        local.declare(settings(task="no.such.task", dataFile="no-such-file"))
    assert "task=no.such.task cannot be used" in str(error.value)
    assert "dataFile=no-such-file is not a file. Run `pulumi config rm dataFile`" in str(error.value)
