import dataclasses
import re

import pytest

from components.kubernetes.training_run import (
    RUN_ANNOTATION,
    SETTINGS_ANNOTATION,
    TrainingRun,
    TrainingRunArgs,
    job_spec,
    run_settings,
)
from provider.kubernetes import job as provider_job
from tests.components.kubernetes.declaring import SMALL, everything, other_place
from tests.components.mocks import declared
from training.settings import RunSettings

ARGS = {
    "kubeconfig": "kubeconfig",
    "namespace": "tf",
    "kubectl": "kubectl",
    "image": "example.com/server@sha256:1",
    "place": SMALL,
    "interface_role": "if",
    "claim_name": "runs",
    "server_addresses": {"master": "master.tf.svc:2222", "worker": "worker.tf.svc:2222"},
    "grpc_port": 2222,
    "settings": {"steps": 10, "train_timeout_s": 600},
    "run_id": "",
    "runs_dir": "/runs",
    "setting_names": {},
    "wait": True,
}


def declare(**changes):
    return declared(lambda: TrainingRun("training", TrainingRunArgs(**{**ARGS, **changes})))


def test_a_run_is_one_component_with_one_resource():
    assert declare().inventory() == [
        ("tfcluster:index:KubernetesRun", "training-run"),
        ("tfcluster:index:TrainingRun", "training"),
    ]


def test_the_job_tries_once_has_a_deadline_after_the_programs_own_and_never_removes_itself():
    spec = job_spec(TrainingRunArgs(**ARGS))
    assert spec["backoffLimit"] == 0
    assert spec["activeDeadlineSeconds"] > 600
    assert "ttlSecondsAfterFinished" not in spec
    assert spec["template"]["spec"]["restartPolicy"] == "Never"


def test_the_job_runs_beside_the_interface_whose_volume_it_shares():
    pod = job_spec(TrainingRunArgs(**ARGS))["template"]["spec"]
    (term,) = pod["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["labelSelector"] == {"matchLabels": {"app": "if"}}
    assert {"name": "runs", "persistentVolumeClaim": {"claimName": "runs"}} in pod["volumes"]


def test_the_program_gets_its_settings_and_its_folder_where_the_provider_puts_them():
    """Component and provider agree on two annotations without knowing each other."""
    assert RUN_ANNOTATION == provider_job.RUN_ANNOTATION
    assert SETTINGS_ANNOTATION == provider_job.SETTINGS_ANNOTATION
    pod = job_spec(TrainingRunArgs(**ARGS))["template"]["spec"]
    (file,) = next(volume for volume in pod["volumes"] if volume["name"] == "settings")["downwardAPI"][
        "items"
    ]
    assert SETTINGS_ANNOTATION in file["fieldRef"]["fieldPath"]
    (coordinator,) = pod["containers"]
    assert RUN_ANNOTATION in coordinator["env"][0]["valueFrom"]["fieldRef"]["fieldPath"]
    assert re.search(r"--record /dev/termination-log", " ".join(coordinator["args"]))


def test_the_settings_are_ones_that_the_training_program_understands():
    made = run_settings(TrainingRunArgs(**ARGS))
    settings = RunSettings(**made)
    assert settings.members == "dns:master=master.tf.svc:2222,worker=worker.tf.svc:2222"


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(TrainingRunArgs)])
def test_no_argument_is_without_effect(field):
    other = {
        "kubeconfig": "another",
        "namespace": "other",
        "kubectl": "kubectl --context other",
        "image": "example.com/server@sha256:2",
        "place": other_place(),
        "interface_role": "interface",
        "claim_name": "other",
        "server_addresses": {"master": "a:1", "worker": "b:2"},
        "grpc_port": 2223,
        "settings": {"steps": 11, "train_timeout_s": 600},
        "run_id": "again",
        "runs_dir": "/other",
        "setting_names": {"worker": {"cpu": "workerCpu"}},
        "wait": False,
    }[field]
    assert everything(declare(**{field: other})) != everything(declare())
