"""The training Job as an object: its name, its manifest, and what its state means. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from provider.kubernetes.client import Object

RUN_ANNOTATION = "tfcluster/run"
SETTINGS_ANNOTATION = "tfcluster/settings"
"""As in `components.kubernetes.training_run`, whose pod template reads both."""

WORK_LABEL = "tfcluster/work"
"""Carries the hash of what is trained, without what may differ between a run and its continuation."""

JOB_SELECTOR = "app=training"
_JOB_LABELS = {"app": "training", "app.kubernetes.io/part-of": "tfcluster"}

# More or fewer workers join and leave a run that goes on; none of these makes another training of it.
_NOT_WORK = ("resume", "workers", "workers_min", "workers_max", "members")

Phase = Literal["running", "complete", "failed"]


def work_hash(job: Object, settings: Mapping[str, Any]) -> str:
    """Ten digits that stand for what is trained by which program, whoever takes part."""
    work = {key: value for key, value in settings.items() if key not in _NOT_WORK}
    return _digest({"image": _image(job), "settings": work})


def job_name(job: Object, settings: Mapping[str, Any], run_id: str) -> str:
    """Name of the Job: the same for the same image, settings and run id, and another for any other."""
    counted = {key: value for key, value in settings.items() if key not in ("resume", "members")}
    return f"training-{_digest({'image': _image(job), 'settings': counted, 'runId': run_id})}"


def run_name(started: datetime, job: str) -> str:
    """Name of a run's folder; sorts by time of start."""
    return f"{started:%Y%m%d-%H%M%S}-{job.removeprefix('training-')[:6]}"


def manifest(name: str, run: str, job: Object, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The Job, ready to be made.

    Args:
        name: Its name.
        run: Name of the run's folder.
        job: Its spec, as the component composed it.
        settings: The run's settings. It always resumes: a folder of its own holds nothing to resume from,
        unless
            the pod is a second one, after a drained node.
    """
    template = job["template"]
    annotations = {
        **template["metadata"].get("annotations", {}),
        RUN_ANNOTATION: run,
        SETTINGS_ANNOTATION: json.dumps({**settings, "resume": True}, indent=2, sort_keys=True),
    }
    labels = {**_JOB_LABELS, WORK_LABEL: work_hash(job, settings)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": labels, "annotations": {RUN_ANNOTATION: run}},
        "spec": {
            **job,
            "template": {**template, "metadata": {**template["metadata"], "annotations": annotations}},
        },
    }


def phase(job: Object) -> Phase:
    """How far a Job is. "complete" is no success: that takes the record."""
    for condition in job.get("status", {}).get("conditions", []):
        if condition["status"] == "True" and condition["type"] in ("Complete", "Failed"):
            return "complete" if condition["type"] == "Complete" else "failed"
    return "running"


def failure_reason(job: Object) -> str:
    """Kubernetes' word for why a Job failed, such as ``DeadlineExceeded``; empty if it did not."""
    for condition in job.get("status", {}).get("conditions", []):
        if condition["status"] == "True" and condition["type"] in ("Failed", "FailureTarget"):
            return str(condition.get("reason", ""))
    return ""


def run_of(job: Object) -> str:
    """Name of the folder of a Job's run."""
    return str(job["metadata"].get("annotations", {}).get(RUN_ANNOTATION, ""))


def ended_state(pod: Object) -> Object:
    """How the coordinator's container ended; empty while it runs."""
    for container in pod.get("status", {}).get("containerStatuses", []):
        return container.get("state", {}).get("terminated") or {}
    return {}


def record(pod: Object) -> dict[str, Any] | None:
    """The result record from a pod's termination message, if there is a complete one."""
    try:
        found: Any = json.loads(str(ended_state(pod).get("message", "")))
    except ValueError:
        return None
    if isinstance(found, dict) and found.get("complete") is True:
        return found
    return None


def server_pods(settings: Mapping[str, Any]) -> list[str]:
    """Names of the pods that a run counts on: as many workers as it waits for, and one of any other role."""
    roles = re.findall(r"(\w+)=", settings["members"])
    counts = {role: int(settings["workers"]) if role == "worker" else 1 for role in roles}
    return [f"{role}-{number}" for role, count in counts.items() for number in range(count)]


def _image(job: Object) -> str:
    return str(job["template"]["spec"]["containers"][0]["image"])


def _digest(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:10]
