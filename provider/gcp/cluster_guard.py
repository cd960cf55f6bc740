"""Stands before a stack that must not be destroyed: it is deleted first, and refuses while protection is on.

GKE's own deletion protection guards the cluster alone: everything around it would be gone by the time it
says no.
"""

from provider.errors import ProviderError
from provider.gcp.clusters import find_cluster
from provider.gcp.rest import Google
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Resource, State
from provider.unreachable import DELETE_UNREACHABLE, is_unreachable_dropped


class Inputs(Properties, frozen=True, kw_only=True):
    """Which cluster, and whether it is protected."""

    project: str
    zone: str
    cluster_name: str
    protect_cluster: bool


class Outputs(Properties, frozen=True, kw_only=True):
    """A guard has none."""


class ClusterGuard(Resource[Inputs, Outputs]):
    """Ends a `destroy` before its first deletion: of a protected cluster, and of one that is gone already."""

    inputs_type = Inputs
    outputs_type = Outputs

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Stand guard from now on."""
        del operation
        return Created(f"{inputs.zone}/{inputs.cluster_name}", Outputs())

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Take another setting over."""
        del operation, inputs
        return state.outputs

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Step aside, or refuse."""
        inputs = state.inputs
        if inputs.protect_cluster:
            raise ProviderError(
                f"protectCluster=true guards cluster {inputs.cluster_name}: nothing was deleted. To destroy"
                " it, run `pulumi config set protectCluster false`, then `pulumi up`, then `pulumi destroy`."
            )
        if is_unreachable_dropped():
            return
        if find_cluster(Google(inputs.project), inputs.zone, inputs.cluster_name) is None:
            raise ProviderError(
                f"cluster {inputs.cluster_name} in {inputs.zone} is gone already, deleted by hand or by the"
                " dead-man switch, and what ran on it with it: nothing was deleted yet. Run"
                f" `{DELETE_UNREACHABLE}=true pulumi destroy`, which asks the cluster for nothing"
                " (`tfcluster down` does so by itself)."
            )
        operation.progress.show("the cluster exists and is not protected")
