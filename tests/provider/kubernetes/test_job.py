import json
from datetime import UTC, datetime

import pytest

from provider.kubernetes import job
from tests.provider.kubernetes.objects import pod

SETTINGS = {"steps": 10, "workers": 2, "resume": False, "members": "dns:a"}


def spec(image="example.com/server@sha256:1"):
    container = {"name": "coordinator", "image": image}
    return {
        "backoffLimit": 0,
        "template": {"metadata": {"labels": {"app": "training"}}, "spec": {"containers": [container]}},
    }


def test_the_name_stands_for_image_settings_and_run_id():
    name = job.job_name(spec(), SETTINGS, "")
    assert name == job.job_name(spec(), dict(reversed(SETTINGS.items())), "")
    assert name != job.job_name(spec("example.com/server@sha256:2"), SETTINGS, "")
    assert name != job.job_name(spec(), {**SETTINGS, "steps": 11}, "")
    assert name != job.job_name(spec(), SETTINGS, "again")


def test_asking_to_resume_is_not_another_training():
    assert job.job_name(spec(), SETTINGS, "") == job.job_name(spec(), {**SETTINGS, "resume": True}, "")


def test_more_workers_are_the_same_work():
    assert job.work_hash(spec(), SETTINGS) == job.work_hash(spec(), {**SETTINGS, "workers": 4})
    assert job.work_hash(spec(), SETTINGS) != job.work_hash(spec(), {**SETTINGS, "steps": 11})


def test_the_manifest_carries_run_and_settings_where_the_program_reads_them():
    made = job.manifest("training-1", "run-1", spec(), SETTINGS)
    annotations = made["spec"]["template"]["metadata"]["annotations"]
    assert annotations[job.RUN_ANNOTATION] == "run-1"
    assert json.loads(annotations[job.SETTINGS_ANNOTATION]) == {**SETTINGS, "resume": True}
    assert made["spec"]["backoffLimit"] == 0
    assert job.run_of(made) == "run-1"


def test_runs_sort_by_their_start():
    first = job.run_name(datetime(2026, 11, 30, 6, 0, 0, tzinfo=UTC), "training-ffffffffff")
    second = job.run_name(datetime(2026, 11, 30, 6, 0, 1, tzinfo=UTC), "training-0000000000")
    assert sorted([second, first]) == [first, second]


@pytest.mark.parametrize(
    ("conditions", "phase"),
    [
        ([], "running"),
        ([{"type": "SuccessCriteriaMet", "status": "True"}], "running"),
        ([{"type": "Complete", "status": "True"}], "complete"),
        ([{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}], "failed"),
    ],
)
def test_the_phase_follows_the_conditions(conditions, phase):
    assert job.phase({"status": {"conditions": conditions}}) == phase


@pytest.mark.parametrize(
    "message",
    ["", "no json", "[]", '{"test_accuracy": 0.9}', '{"test_accuracy": 0.9, "complete": false}'],
)
def test_only_a_complete_record_is_one(message):
    ended = {"state": {"terminated": {"exitCode": 0, "message": message}}}
    assert job.record(pod(container=ended)) is None


def test_a_complete_record_is_read_from_the_termination_message():
    message = '{"test_accuracy": 0.9, "complete": true}'
    ended = {"state": {"terminated": {"exitCode": 0, "message": message}}}
    assert job.record(pod(container=ended)) == {"test_accuracy": 0.9, "complete": True}
