"""Remembers which cluster a stack lives in, and refuses another one: `tfcluster:index:ClusterIdentity`.

A cluster is known by the uid of its namespace kube-system, which lives as long as the cluster does. The
check is made in the preview already, before anything is changed in a cluster that happens to be behind a
context's name.
"""

from __future__ import annotations

from provider.errors import ProviderError
from provider.kubernetes.client import Api, ApiUnreachable, unreachable_advice
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Resource, State
from provider.unreachable import is_unreachable_dropped


class Inputs(Properties, frozen=True, kw_only=True):
    """How the cluster is reached.

    Attributes:
        kubeconfig: Text of a kubeconfig.
        wait_timeout_s: How long an API server that does not answer is waited for.
    """

    kubeconfig: str
    wait_timeout_s: int


class Outputs(Properties, frozen=True, kw_only=True):
    """What is remembered.

    Attributes:
        uid: The cluster's identity.
        server: Address of its API server.
    """

    uid: str
    server: str


class ClusterIdentity(Resource[Inputs, Outputs]):
    """The identity of one cluster."""

    inputs_type = Inputs
    outputs_type = Outputs

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Ask the cluster who it is, waiting until it answers.

        Raises:
            ProviderError: It does not answer in time, or refuses.
        """
        outputs = _wait_for_identity(operation, inputs)
        return Created(outputs.uid, outputs)

    def diff(self, state: State[Inputs, Outputs], inputs: Inputs) -> Diff:
        """Compare the cluster with the remembered one.

        Raises:
            ProviderError: Another cluster answers.
        """
        changed = super().diff(state, inputs).changed
        is_silent = not _is_the_remembered(state.outputs, inputs)
        # An update waits for the cluster, before anything that needs it is tried.
        return Diff(changed | ({"server"} if is_silent else set()))

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Compare likewise; a cluster that does not answer is no news.

        Raises:
            ProviderError: Another cluster answers, or none.
        """
        del operation
        try:
            _refuse_another(state.outputs, _ask(state.inputs))
        except ApiUnreachable as error:
            if is_unreachable_dropped():
                return None
            raise unreachable_advice(error) from error
        return state

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Take over new credentials for the same cluster.

        Raises:
            ProviderError: Another cluster answers, or none in time.
        """
        found = _wait_for_identity(operation, inputs)
        _refuse_another(state.outputs, found)
        return found

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Forget the cluster."""
        del operation, state


def _wait_for_identity(operation: Operation, inputs: Inputs) -> Outputs:
    last_error = ""

    def poll() -> Outputs | None:
        nonlocal last_error
        try:
            return _ask(inputs)
        except ApiUnreachable as error:
            last_error = str(error)
            return None

    return operation.wait_until(
        "the cluster's API server",
        poll,
        deadline_s=inputs.wait_timeout_s,
        setting="clusterWaitSeconds",
        status=lambda: last_error,
        period_s=2,
    )


def _ask(inputs: Inputs) -> Outputs:
    api = Api(inputs.kubeconfig)
    namespace = api.call(api.core.read_namespace, "kube-system")
    return Outputs(uid=namespace["metadata"]["uid"], server=api.server)


def _is_the_remembered(remembered: Outputs, inputs: Inputs) -> bool:
    """False where nobody answers.

    Raises:
        ProviderError: Another cluster answers.
    """
    try:
        found = _ask(inputs)
    except ApiUnreachable:
        return False
    _refuse_another(remembered, found)
    return True


def _refuse_another(remembered: Outputs, found: Outputs) -> None:
    if found.uid != remembered.uid:
        raise ProviderError(
            f"The kubeconfig leads to another cluster ({found.server}, uid {found.uid}) than the one this "
            "stack "
            f"lives in ({remembered.server}, uid {remembered.uid}); nothing was changed. Set kubeconfig and "
            "context "
            "back, or make a new stack for the other cluster with `pulumi stack init`. If the old cluster "
            "was deleted for good, run `pulumi stack rm --force` first."
        )
