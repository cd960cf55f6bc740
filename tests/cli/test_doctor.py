"""The doctor verb as a process of its own, against a simulated Google."""

import os
import subprocess
import sys

import pytest

from cli.doctor import passphrase_finding
from tests.end_to_end.conftest import Clone
from tests.gcp_double.cloud import PROJECT
from tests.gcp_double.fixtures import cloud, google, server

__all__ = ["cloud", "google", "server"]


@pytest.fixture
def doctor(tmp_path, google, monkeypatch):
    """Runs the verb in a copy of the checkout, so that nobody's own settings are in the way."""
    del google
    made = Clone(tmp_path, "gke-free")
    made.configure(project=PROJECT)

    def run(stack="gke-free", **environment):
        return subprocess.run(
            [sys.executable, "-m", "cli", "doctor", stack],
            cwd=made.project,
            env={
                **os.environ,
                **made.environment,
                "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "",
                "PYTHONPATH": str(made.project),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    run.configure = made.configure
    yield run
    made.end()


def test_a_stack_in_order_ends_with_0(doctor):
    done = doctor()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is in the way of `tfcluster up gke-free`" in done.stdout
    for subject in ("engine", "passphrase", "credentials", "project", "billing", "APIs", "plan"):
        assert f"ok   {subject}: " in done.stdout


def test_all_problems_are_told_at_once_each_with_its_command(doctor, server):
    server.answer_instead("GET /cloudbilling", 200, {"billingEnabled": False})
    server.refuse("GET /cloudresourcemanager", 404, "not found")
    doctor.configure(workers=9, imageBuilder="docker")
    done = doctor(DOCKER_HOST="unix:///nonexistent")
    assert done.returncode == 1
    assert "pulumi config set project <id>" in done.stdout
    assert "gcloud billing projects link" in done.stdout
    assert "imageBuilder cloudbuild" in done.stdout
    assert "REFUSED" in done.stdout
    assert "4 to fix" in done.stdout


def test_a_plug_in_that_is_missing_names_the_command_that_installs_it(doctor):
    done = doctor()
    assert "`pulumi plugin install resource gcp v10.2.0` does so now" in done.stdout
    done = doctor(PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION="true")
    assert done.returncode == 1
    assert "FIX  plug-in: gcp 10.2.0 is missing, and downloads are switched off" in done.stdout


def test_a_wrong_passphrase_is_told_from_one_that_is_not_set(engine):
    engine.write('import pulumi; pulumi.export("token", pulumi.Output.secret("x"))')
    engine.up().checked()

    def finding(**environment):
        return passphrase_finding(engine.stack, engine.environment | environment, engine.project)

    assert not finding().is_problem
    assert "another passphrase" in finding(PULUMI_CONFIG_PASSPHRASE="another").sentence
    del engine.environment["PULUMI_CONFIG_PASSPHRASE"]
    assert "an empty one is one, too" in finding().sentence


def test_a_stack_that_does_not_exist_ends_with_2(doctor):
    assert doctor("nowhere").returncode == 2
