"""One training run as a Job in a cluster: `tfcluster:index:KubernetesRun`.

It makes the Job, follows it, brings its files back, and removes it. Composing the Job's pod is the
component's business (`components.kubernetes.training_run`), computing is the program's.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from provider.errors import InterruptedByUser, ProviderError
from provider.kubernetes.client import Api, ApiUnreachable, unreachable_advice
from provider.kubernetes.follower import Follower, RunFailed
from provider.kubernetes.job import (
    JOB_SELECTOR,
    WORK_LABEL,
    job_name,
    manifest,
    phase,
    run_name,
    run_of,
    server_pods,
    work_hash,
)
from provider.kubernetes.job_control import (
    has_record,
    remove,
    remove_if_running,
    remove_soon,
    save_server_logs,
)
from provider.kubernetes.run_files import copy_run
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Resource, State
from provider.unreachable import is_unreachable_dropped

_NEW_RUN_ON = frozenset({"job", "settings", "runId", "namespace"})


class Inputs(Properties, frozen=True, kw_only=True):
    """What is trained, and where.

    Attributes:
        kubeconfig: Text of a kubeconfig.
        namespace: Namespace of the Job.
        kubectl: The command that reaches the cluster, for people to copy.
        job: Spec of the Job.
        settings: Settings of the training program by their names there.
        interface_role: Role of the pod through which the run's files are read.
        run_id: Any word; another one is another run.
        runs_dir: Absolute folder of the run history on this machine.
        setting_names: Settings to name, by role and matter.
        wait: Whether to wait for the result.
    """

    kubeconfig: str
    namespace: str
    kubectl: str
    job: dict[str, Any]
    settings: dict[str, Any]
    interface_role: str
    run_id: str
    runs_dir: str
    setting_names: dict[str, dict[str, str]]
    wait: bool


class Outputs(Properties, frozen=True, kw_only=True):
    """What became of the run; numbers are None while it goes on.

    Attributes:
        status: ``running`` or ``succeeded``.
        job_name: Name of the Job.
        run_dir: The run's folder on this machine.
        follow: Command that shows the run's log.
    """

    status: str
    job_name: str
    run_dir: str
    follow: str
    test_accuracy: float | None = None
    final_loss: float | None = None
    steps: int | None = None
    sec_per_step: float | None = None
    examples_per_sec: float | None = None
    workers: int | None = None
    recommended_workers: int | None = None
    speedup: float | None = None
    efficiency: float | None = None
    bound: str | None = None


class KubernetesRun(Resource[Inputs, Outputs]):
    """A run in a cluster."""

    inputs_type = Inputs
    outputs_type = Outputs

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Start the run, or join one that goes on already, and see it to its end.

        Raises:
            ProviderError: It failed, or the cluster does not let it start. The failed Job stays for a look
            at it.
            InterruptedByUser: The user interrupted; the Job is removed.
        """
        return Created(f"{inputs.namespace}/training", _run(operation, inputs))

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Start another run where something else is trained; else see the same one to its end.

        Raises:
            ProviderError, InterruptedByUser: As `create`.
        """
        is_same = not (_changed(state.inputs, inputs) & _NEW_RUN_ON)
        is_continued = state.outputs.status == "running" and _is_same_work(state.inputs, inputs)
        if (is_same and state.outputs.status == "running") or is_continued:
            return _see_to_end(operation, inputs, state.outputs.job_name, Path(state.outputs.run_dir))
        if is_same:
            return state.outputs
        return _run(operation, inputs)

    def diff(self, state: State[Inputs, Outputs], inputs: Inputs) -> Diff:
        """A run that went on when it was last looked at is looked at again."""
        changed = super().diff(state, inputs).changed
        return Diff(changed | ({"status"} if state.outputs.status == "running" else set()))

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Find out whether the run is still there: as a Job, or as a result in the run history.

        Raises:
            ProviderError: The cluster does not answer.
        """
        del operation
        api = Api(state.inputs.kubeconfig)
        try:
            job = api.find(api.batch.read_namespaced_job, state.outputs.job_name, state.inputs.namespace)
        except ApiUnreachable as error:
            if is_unreachable_dropped():
                return None
            raise unreachable_advice(error) from error
        has_result = (
            state.outputs.status == "succeeded" and Path(state.outputs.run_dir, "result.json").exists()
        )
        return state if job is not None or has_result else None

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Remove the Job and wait until its pod is gone; the run history stays.

        Raises:
            ProviderError: The cluster does not answer, with a command for each of two cases.
        """
        api = Api(state.inputs.kubeconfig)
        try:
            for job in api.items(
                api.batch.list_namespaced_job, state.inputs.namespace, label_selector=JOB_SELECTOR
            ):
                _remove(operation, api, state.inputs, job)
        except ApiUnreachable as error:
            if not is_unreachable_dropped():
                raise unreachable_advice(error) from error
            operation.progress.say("the Job is not looked after, as its cluster is gone")


def _run(operation: Operation, inputs: Inputs) -> Outputs:
    api = Api(inputs.kubeconfig)
    name = job_name(inputs.job, inputs.settings, inputs.run_id)
    run = _start(operation, api, inputs, name)
    return _see_to_end(operation, inputs, name, Path(inputs.runs_dir, run))


def _start(operation: Operation, api: Api, inputs: Inputs, name: str) -> str:
    """Make the Job, unless it goes on or has succeeded already; return the name of its run's folder.

    No second training is started beside another: what else of this stack trains, is removed first.
    """
    run = run_name(datetime.now(UTC), name)
    for job in api.items(api.batch.list_namespaced_job, inputs.namespace, label_selector=JOB_SELECTOR):
        is_this = job["metadata"]["name"] == name
        if is_this and (phase(job) == "running" or has_record(api, job)):
            return run_of(job)
        is_same_work = job["metadata"]["labels"].get(WORK_LABEL) == work_hash(inputs.job, inputs.settings)
        if inputs.settings.get("resume") and is_same_work and not has_record(api, job):
            run = run_of(job)
        _remove(operation, api, inputs, job)
    body = manifest(name, run, inputs.job, inputs.settings)
    api.call(api.batch.create_namespaced_job, inputs.namespace, body)
    operation.progress.say(f"Job {name} started; its run is {run}")
    return run


def _remove(operation: Operation, api: Api, inputs: Inputs, job: Any) -> None:
    remove(operation, api, inputs.namespace, job["metadata"]["name"], inputs.settings["cluster_wait_s"])


def _see_to_end(operation: Operation, inputs: Inputs, name: str, run_dir: Path) -> Outputs:
    follow = f"{inputs.kubectl} logs --namespace {inputs.namespace} --follow job/{name}"
    outputs = Outputs(status="running", job_name=name, run_dir=str(run_dir), follow=follow)
    api = Api(inputs.kubeconfig)
    job = api.find(api.batch.read_namespaced_job, name, inputs.namespace)
    if not inputs.wait and job is not None and phase(job) == "running":
        return outputs
    run_dir.mkdir(parents=True, exist_ok=True)
    operation.progress.say(f"follows Job {name}; all of its log: `{follow}`")
    follower = Follower(
        api=api,
        operation=operation,
        namespace=inputs.namespace,
        job=name,
        run_dir=run_dir,
        steps=int(inputs.settings["steps"]),
        servers=server_pods(inputs.settings),
        setting_names=inputs.setting_names,
        api_timeout_s=float(inputs.settings["cluster_wait_s"]),
    )
    try:
        result = follower.result()
    except InterruptedByUser as error:
        raise InterruptedByUser(_stopped(api, inputs, name, run_dir)) from error
    except RunFailed as error:
        save_server_logs(api, inputs.namespace, run_dir)
        _copy_back(operation, api, inputs, run_dir)
        remove_if_running(api, inputs.namespace, name)
        raise RunFailed(f"{error}\nLogs of all pods: {run_dir}") from error
    _copy_back(operation, api, inputs, run_dir)
    (run_dir / "result.json").write_text(json.dumps(result, indent=2) + "\n")
    return _succeeded(outputs, result)


def _succeeded(outputs: Outputs, result: dict[str, Any]) -> Outputs:
    known = {"status", "job_name", "run_dir", "follow"}
    numbers = {name: result.get(name) for name in Outputs.__struct_fields__ if name not in known}
    return msgspec.structs.replace(outputs, status="succeeded", **numbers)


def _copy_back(operation: Operation, api: Api, inputs: Inputs, run_dir: Path) -> None:
    try:
        copy_run(api, inputs.namespace, inputs.interface_role, run_dir.name, run_dir)
    except ProviderError as error:
        operation.progress.warn(
            f"Event files of run {run_dir.name} were not copied to {run_dir}: {error}. They are still in "
            f"the cluster, under /runs of the interface's pod."
        )


def _stopped(api: Api, inputs: Inputs, name: str, run_dir: Path) -> str:
    try:
        remove_soon(api, inputs.namespace, name)
    except ProviderError as error:
        return (
            f"Interrupted, but Job {name} may go on: {error} Stop it with `{inputs.kubectl} delete job "
            f"--namespace {inputs.namespace} {name}`."
        )
    return f"Interrupted; Job {name} is removed. What it had written to its log is in {run_dir}"


def _changed(old: Inputs, new: Inputs) -> frozenset[str]:
    fields = zip(new.__struct_fields__, new.__struct_encode_fields__, strict=True)
    return frozenset(name for field, name in fields if getattr(old, field) != getattr(new, field))


def _is_same_work(old: Inputs, new: Inputs) -> bool:
    """Whether only the number of workers differs, which a run that goes on takes in its stride."""
    return (
        work_hash(old.job, old.settings) == work_hash(new.job, new.settings)
        and old.run_id == new.run_id
        and old.namespace == new.namespace
    )
