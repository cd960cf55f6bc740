"""What is done to the training Job beyond making and following it: removing it, and saving what was said."""

from __future__ import annotations

import time
from pathlib import Path

from provider.errors import ProviderError
from provider.kubernetes.client import Api, Object
from provider.kubernetes.diagnosis import NO_SERVERS, role_of
from provider.kubernetes.job import phase, record
from provider.kubernetes.observation import STACK_PODS
from provider.operation import Operation

STOP_TIMEOUT_S = 15.0
"""How long the removal of a Job may take where nobody waits for it gladly; a coordinator stops in seconds."""

_SAVED_LOG_LINES = 500


def remove(operation: Operation, api: Api, namespace: str, name: str, timeout_s: float) -> None:
    """Remove a Job with its pods, and wait until they are gone.

    The cluster's controllers may need a minute for it after their API server was away.

    Raises:
        ProviderError: They are still there after `timeout_s`.
        InterruptedByUser: The user interrupted; it is removed all the same.
    """
    _delete(api, namespace, name)
    operation.wait_until(
        f"Job {name} to go away",
        lambda: _is_gone(api, namespace, name),
        deadline_s=timeout_s,
        setting="clusterWaitSeconds",
    )


def remove_soon(api: Api, namespace: str, name: str) -> None:
    """Remove a Job as `remove` does, whatever the user does meanwhile.

    Raises:
        ProviderError: It is still there after `STOP_TIMEOUT_S`.
    """
    _delete(api, namespace, name)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while time.monotonic() < deadline:
        if _is_gone(api, namespace, name):
            return
        time.sleep(0.3)
    raise ProviderError(f"Job {name} is being removed, but still there after {STOP_TIMEOUT_S:.0f} s.")


def remove_if_running(api: Api, namespace: str, name: str) -> None:
    """Remove a Job that has not ended; one that has stays, for a look at it."""
    job = api.find(api.batch.read_namespaced_job, name, namespace)
    if job is not None and phase(job) == "running":
        remove_soon(api, namespace, name)


def _delete(api: Api, namespace: str, name: str) -> None:
    api.find(api.batch.delete_namespaced_job, name, namespace, propagation_policy="Foreground")


def _is_gone(api: Api, namespace: str, name: str) -> bool:
    return api.find(api.batch.read_namespaced_job, name, namespace) is None


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
