"""What is done to the training Job beyond making and following it: removing it, and saving what was said."""

from __future__ import annotations

import time
from pathlib import Path

from provider.errors import ProviderError
from provider.kubernetes.client import Api, Object
from provider.kubernetes.diagnosis import NO_SERVERS, role_of
from provider.kubernetes.job import phase, record
from provider.kubernetes.observation import STACK_PODS

STOP_TIMEOUT_S = 15.0
"""How long a Job that is removed may take to be gone; a coordinator stops within seconds."""

_SAVED_LOG_LINES = 500


def remove(api: Api, namespace: str, name: str) -> None:
    """Remove a Job with its pods, and wait until they are gone.

    Raises:
        ProviderError: They are still there after `STOP_TIMEOUT_S` and the pod's own grace.
    """
    api.find(api.batch.delete_namespaced_job, name, namespace, propagation_policy="Foreground")
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while time.monotonic() < deadline:
        if api.find(api.batch.read_namespaced_job, name, namespace) is None:
            return
        time.sleep(0.3)
    raise ProviderError(f"Job {name} is being removed, but still there after {STOP_TIMEOUT_S:.0f} s.")


def remove_if_running(api: Api, namespace: str, name: str) -> None:
    """Remove a Job that has not ended; one that has stays, for a look at it."""
    job = api.find(api.batch.read_namespaced_job, name, namespace)
    if job is not None and phase(job) == "running":
        remove(api, namespace, name)


def has_record(api: Api, job: Object) -> bool:
    """Whether a Job's pod left a complete result record."""
    selector = f"batch.kubernetes.io/job-name={job['metadata']['name']}"
    namespace = job["metadata"]["namespace"]
    pods = api.items(api.core.list_namespaced_pod, namespace, label_selector=selector)
    return any(record(pod) for pod in pods)


def save_server_logs(api: Api, namespace: str, run_dir: Path) -> None:
    """Keep the servers' last lines: whoever looks for the cause will want them."""
    for pod in api.items(api.core.list_namespaced_pod, namespace, label_selector=STACK_PODS):
        name = pod["metadata"]["name"]
        if role_of(pod) in NO_SERVERS:
            continue
        container = pod["spec"]["containers"][0]["name"]
        try:
            text = api.log(namespace, name, container, tail_lines=_SAVED_LOG_LINES)
        except ProviderError as error:
            text = f"{error}\n"
        (run_dir / f"{name}.log").write_text(text)
