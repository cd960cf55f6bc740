"""Waits until a stack's pods are ready, or says what keeps them from it: `tfcluster:index:WorkloadsReady`.

It makes nothing in the cluster, and removes only pods of an earlier, broken template. A fault that does not
pass by itself ends the wait within a minute, whatever the deadline; what waits only for time is shown, at
least every 30 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from provider.errors import ProviderError
from provider.kubernetes.client import Api, ApiUnreachable, Object, unreachable_advice
from provider.kubernetes.diagnosis import Snapshot, findings, is_ready, name_of, pod_state
from provider.kubernetes.finding import Finding, as_lines
from provider.kubernetes.observation import Patience, take_snapshot
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Resource, State
from provider.unreachable import is_unreachable_dropped


class Inputs(Properties, frozen=True, kw_only=True):
    """What is waited for.

    Attributes:
        kubeconfig: Text of a kubeconfig.
        namespace: The stack's namespace.
        stateful_sets: Number of pods by StatefulSet.
        deployments: Number of pods by Deployment.
        revision: Changes with anything that makes pods anew, and is waited for again then.
        setting_names: Settings to name, by role and matter.
        timeout_s: Deadline.
    """

    kubeconfig: str
    namespace: str
    stateful_sets: dict[str, int]
    deployments: dict[str, int]
    revision: str
    setting_names: dict[str, dict[str, str]]
    timeout_s: int


class Outputs(Properties, frozen=True, kw_only=True):
    """What was found at last.

    Attributes:
        pods: Number of pods that were ready.
    """

    pods: int


class WorkloadsReady(Resource[Inputs, Outputs]):
    """The readiness of all workloads of a stack."""

    inputs_type = Inputs
    outputs_type = Outputs

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Wait.

        Raises:
            ProviderError: A fault that does not pass, or the deadline; each pod that is not ready is named.
        """
        return Created(inputs.namespace, _wait(operation, inputs))

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Count the pods that are ready now, so that the next `up` waits for those that are missing.

        Raises:
            ProviderError: The cluster does not answer.
        """
        del operation
        api = Api(state.inputs.kubeconfig)
        try:
            ready = sum(_ready_pods(api, state.inputs).values())
        except ApiUnreachable as error:
            if is_unreachable_dropped():
                return None
            raise unreachable_advice(error) from error
        return State(state.id, state.inputs, Outputs(pods=ready))

    def diff(self, state: State[Inputs, Outputs], inputs: Inputs) -> Diff:
        """Wait again for another set of pods, or when some were found missing."""
        changed = super().diff(state, inputs).changed
        is_short = state.outputs.pods < sum(_wanted(inputs).values())
        return Diff(changed | ({"pods"} if is_short else set()))

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Wait for the pods as they are wanted now.

        Raises:
            ProviderError: As `create`.
        """
        del state
        return _wait(operation, inputs)

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Nothing of it is in the cluster."""
        del operation, state


def _wanted(inputs: Inputs) -> dict[str, int]:
    return {**inputs.stateful_sets, **inputs.deployments}


def _wait(operation: Operation, inputs: Inputs) -> Outputs:
    api, patience, started = Api(inputs.kubeconfig), Patience(), datetime.now(UTC)
    wanted = _wanted(inputs)
    status = ""

    def poll() -> Outputs | None:
        nonlocal status
        try:
            ready = _ready_pods(api, inputs)
            if all(ready[name] >= count for name, count in wanted.items()):
                return Outputs(pods=sum(wanted.values()))
            _remove_outdated(api, inputs)
            snapshot = take_snapshot(
                api, inputs.namespace, started, inputs.setting_names, inputs.stateful_sets
            )
        except ApiUnreachable as error:
            status = str(error)
            return None
        short = [f"{name} {ready[name]} of {count}" for name, count in wanted.items() if ready[name] < count]
        status = f"ready are of {', of '.join(short)}{_others(snapshot)}"
        if final := patience.exhausted_by([*_rescaled(api, inputs), *findings(snapshot)]):
            raise ProviderError(
                f"The pods in namespace {inputs.namespace} do not get ready:\n{as_lines(final)}"
            )
        return None

    return operation.wait_until(
        f"the pods in namespace {inputs.namespace}",
        poll,
        deadline_s=inputs.timeout_s,
        setting="clusterWaitSeconds",
        status=lambda: status,
        period_s=1.0,
    )


def outdated(stateful_set: Object, pods: Sequence[Object]) -> list[str]:
    """Names of pods that were made after an earlier template and are not ready.

    A StatefulSet waits for such a pod before it replaces any, so that one mistake would outlive its
    correction: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback
    """
    status = stateful_set.get("status", {})
    if status.get("observedGeneration", 0) < stateful_set["metadata"]["generation"]:
        return []
    return [
        name_of(pod)
        for pod in pods
        if pod["metadata"]["labels"].get("controller-revision-hash") != status.get("updateRevision")
        and "deletionTimestamp" not in pod["metadata"]
        and not is_ready(pod)
    ]


def rescaled(name: str, workload: Object, wanted: int) -> Finding | None:
    """The fault of a workload that somebody else has set to fewer pods; the engine does not know of it."""
    found = workload["spec"].get("replicas", 1)
    if found >= wanted:
        return None
    words = f"has been set to {found} of {wanted} pods by somebody else. `pulumi up --refresh` sets it back."
    return Finding(subject=name, kind="replicas", sentence=words, patience_s=5)


def _rescaled(api: Api, inputs: Inputs) -> list[Finding]:
    found: list[Finding] = []
    for read, wanted in (
        (api.apps.read_namespaced_stateful_set, inputs.stateful_sets),
        (api.apps.read_namespaced_deployment, inputs.deployments),
    ):
        for name, count in wanted.items():
            workload = api.find(read, name, inputs.namespace)
            if workload and (fault := rescaled(name, workload, count)):
                found.append(fault)
    return found


def _remove_outdated(api: Api, inputs: Inputs) -> None:
    for name in inputs.stateful_sets:
        found = api.find(api.apps.read_namespaced_stateful_set, name, inputs.namespace)
        if found is None:
            continue
        selector = ",".join(f"{k}={v}" for k, v in found["spec"]["selector"]["matchLabels"].items())
        pods = api.items(api.core.list_namespaced_pod, inputs.namespace, label_selector=selector)
        for pod in outdated(found, pods):
            api.find(api.core.delete_namespaced_pod, pod, inputs.namespace)


def _ready_pods(api: Api, inputs: Inputs) -> dict[str, int]:
    """Pods that are ready and up to date, by workload; 0 while the cluster has not noted a change."""
    ready: dict[str, int] = {}
    for name in inputs.stateful_sets:
        found = api.find(api.apps.read_namespaced_stateful_set, name, inputs.namespace)
        ready[name] = current_ready(found, is_stateful=True)
    for name in inputs.deployments:
        found = api.find(api.apps.read_namespaced_deployment, name, inputs.namespace)
        ready[name] = current_ready(found, is_stateful=False)
    return ready


def current_ready(workload: Any | None, *, is_stateful: bool) -> int:
    """Pods of a StatefulSet or Deployment that are ready and made after its newest template."""
    if workload is None:
        return 0
    status = workload.get("status", {})
    if status.get("observedGeneration", 0) < workload["metadata"]["generation"]:
        return 0
    ready, updated = status.get("readyReplicas", 0), status.get("updatedReplicas", 0)
    if is_stateful and status.get("currentRevision") == status.get("updateRevision"):
        return ready
    return min(ready, updated)


def _others(snapshot: Snapshot) -> str:
    waiting = [
        f"{name_of(pod)} {pod_state(pod)}"
        for pod in snapshot.pods
        if not is_ready(pod) and pod["status"]["phase"] not in ("Succeeded", "Failed")
    ]
    more = f" and {len(waiting) - 3} more" if len(waiting) > 3 else ""
    return f"; {', '.join(waiting[:3])}{more}" if waiting else ""
