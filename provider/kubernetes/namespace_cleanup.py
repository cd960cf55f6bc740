"""Sees a namespace to its end, and lists by object what holds it: `tfcluster:index:NamespaceCleanup`.

Kubernetes removes a namespace once nothing is left in it; an object with a finaliser that nobody serves, or
an API without a backend, holds it for ever. The engine deletes this resource right before the namespace
itself.
"""

from __future__ import annotations

import re

from kubernetes.dynamic import DynamicClient

from provider.errors import ProviderError
from provider.kubernetes.client import Api, ApiUnreachable, Object, unreachable_advice
from provider.kubernetes.diagnosis import name_of, pod_state
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Resource, State
from provider.unreachable import is_unreachable_dropped

LOOK_PERIOD_S = 1.0
_SHOWN_OBJECTS = 20


class Inputs(Properties, frozen=True, kw_only=True):
    """Which namespace is seen to its end.

    Attributes:
        kubeconfig: Text of a kubeconfig.
        namespace: The namespace's name.
        timeout_s: How long that may take before what is left is listed.
        is_cluster_owned: Whether the cluster goes next, so that what is left is only worth a warning.
        is_kept: Whether the namespace stays, so that only its pods are seen to their end.
    """

    kubeconfig: str
    namespace: str
    timeout_s: int
    is_cluster_owned: bool
    is_kept: bool


class Outputs(Properties, frozen=True, kw_only=True):
    """A cleanup has none."""


class NamespaceCleanup(Resource[Inputs, Outputs]):
    """The promise that a namespace goes away, or that it is said why not."""

    inputs_type = Inputs
    outputs_type = Outputs
    replace_on = frozenset({"namespace"})

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Do nothing until the end."""
        del operation
        return Created(inputs.namespace, Outputs())

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Remember new credentials or another deadline."""
        del operation, state, inputs
        return Outputs()

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Delete the namespace and wait until it is gone; where it is kept, until it has no pods.

        Raises:
            ProviderError: It is still there at the deadline; every object left is listed with its finalisers.
        """
        inputs, api = state.inputs, Api(state.inputs.kubeconfig)
        try:
            if inputs.is_kept:
                _wait_until_empty(operation, api, inputs)
                return
            api.find(api.core.delete_namespace, inputs.namespace)
            self._wait_until_gone(operation, api, inputs)
        except ApiUnreachable as error:
            if not is_unreachable_dropped():
                raise unreachable_advice(error) from error
            operation.progress.say(f"{inputs.namespace}: not looked after, as its cluster is gone")

    def _wait_until_gone(self, operation: Operation, api: Api, inputs: Inputs) -> None:
        left: Object | None = None

        def poll() -> bool:
            nonlocal left
            left = api.find(api.core.read_namespace, inputs.namespace)
            return left is None

        try:
            operation.wait_until(
                f"namespace {inputs.namespace} to go away",
                poll,
                deadline_s=inputs.timeout_s,
                setting="clusterWaitSeconds",
                status=lambda: "; ".join(conditions(left or {})),
                period_s=LOOK_PERIOD_S,
            )
        except ProviderError as error:
            if type(error) is not ProviderError:
                raise  # an interruption, or a cluster that does not answer
            listed = remaining(api, inputs.namespace, left or {})
            message = stuck_message(inputs, conditions(left or {}), listed)
            if not inputs.is_cluster_owned:
                raise ProviderError(message) from error
            operation.progress.warn(f"{message}\nIt goes with the cluster.")


def _wait_until_empty(operation: Operation, api: Api, inputs: Inputs) -> None:
    pods: list[Object] = []

    def poll() -> bool:
        nonlocal pods
        pods = api.items(api.core.list_namespaced_pod, inputs.namespace)
        return not pods

    operation.wait_until(
        f"the pods in namespace {inputs.namespace} to go away",
        poll,
        deadline_s=inputs.timeout_s,
        setting="clusterWaitSeconds",
        status=lambda: ", ".join(f"{name_of(pod)} {pod_state(pod)}" for pod in pods[:_SHOWN_OBJECTS]),
        period_s=LOOK_PERIOD_S,
    )


def conditions(namespace: Object) -> list[str]:
    """What Kubernetes itself says about a namespace that does not go away."""
    found = namespace.get("status", {}).get("conditions", [])
    return [str(condition["message"]) for condition in found if condition["status"] == "True"]


def resource_names(sentences: list[str]) -> list[tuple[str, str]]:
    """Plural name and API group of the kinds that are left, from "configmaps. has 2 resource instances"."""
    pairs = re.findall(r"([a-z0-9]+)\.([a-z0-9.-]*) has \d+ resource instances", " ".join(sentences))
    return sorted(set(pairs))


def remaining(api: Api, namespace: str, left: Object) -> list[str]:
    """Each object that is left, with its finalisers."""
    dynamic = DynamicClient(api.connection)
    listed: list[str] = []
    for plural, group in resource_names(conditions(left)):
        for resource in dynamic.resources.search(name=plural, group=group)[:1]:
            for item in resource.get(namespace=namespace).to_dict()["items"]:
                metadata = item["metadata"]
                finalizers = ", ".join(metadata.get("finalizers") or []) or "none"
                listed.append(f"{resource.kind} {metadata['name']} (finalisers: {finalizers})")
    return listed


def stuck_message(inputs: Inputs, sentences: list[str], listed: list[str]) -> str:
    """The error: what is left, what Kubernetes says, and what to do."""
    shown = "".join(f"\n  - {item}" for item in listed[:_SHOWN_OBJECTS])
    more = f"\n  - and {len(listed) - _SHOWN_OBJECTS} more" if len(listed) > _SHOWN_OBJECTS else ""
    apis = [sentence for sentence in sentences if "discovery" in sentence.lower()]
    return (
        f"Namespace {inputs.namespace} is still there after {inputs.timeout_s} s. Left in "
        f"it:{shown or ' nothing'}{more}"
        + "".join(f"\n  - an API without a backend: {sentence}" for sentence in apis)
        + "\nLet whoever set a finaliser finish, or take it off and destroy: `kubectl patch --namespace "
        f'{inputs.namespace} KIND NAME --type=merge -p \'{{"metadata":{{"finalizers":null}}}}\'`.'
    )
