"""A cluster that is fit for node pools: it runs, and nothing half-made is in it.

The GCP provider retries a failed creation by updating what is there: the temporary pool, which should have
been deleted at the end of the creation, then stays for good and eats a quota that our pools need. Stands
between the cluster and its pools.
"""

from provider.errors import ProviderError
from provider.gcp.claimed_disks import wait_until_deleted
from provider.gcp.clusters import TEMPORARY_POOL, Cluster, cluster_path, find_cluster, is_done, start_deletion
from provider.gcp.rest import Google
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Resource, State
from provider.unreachable import DELETE_UNREACHABLE

DEADLINE_S = 900.0


class Inputs(Properties, frozen=True, kw_only=True):
    """Which cluster; `cluster` is its id, so that another cluster is looked at anew.

    Attributes:
        labels: Labels of its volumes' disks.
    """

    project: str
    zone: str
    name: str
    cluster: str
    labels: dict[str, str]


class Outputs(Properties, frozen=True, kw_only=True):
    """The cluster's id, once it may be used: what is made on the cluster takes it from here."""

    ready_cluster: str


class ClusterReady(Resource[Inputs, Outputs]):
    """Removes what a failed creation left in a cluster, and vouches for the rest."""

    inputs_type = Inputs
    outputs_type = Outputs
    replace_on = frozenset({"cluster", "project", "zone", "name"})

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Look, and clear up where that is needed."""
        google = Google(inputs.project)
        cluster = _existing(google, inputs)
        if any(pool.name == TEMPORARY_POOL for pool in cluster.node_pools):
            operation.progress.say(
                f"a failed creation left {TEMPORARY_POOL} in the cluster; it is deleted now"
            )
            path = f"{cluster_path(inputs.zone, inputs.name)}/nodePools/{TEMPORARY_POOL}"
            deletion = start_deletion(google, inputs.zone, path)
            operation.wait_until(
                f"the deletion of {TEMPORARY_POOL}",
                lambda: is_done(google, deletion),
                deadline_s=DEADLINE_S,
                setting="the patience",
                period_s=5,
            )
            cluster = _existing(google, inputs)
        if cluster.status not in ("RUNNING", "RECONCILING"):
            raise ProviderError(
                f"cluster {inputs.name} in {inputs.zone} is {cluster.status}:"
                f" {cluster.status_message or 'no reason given'}. When the cause is gone, have it made anew:"
                " `pulumi destroy`, then `pulumi up`."
            )
        return Created(inputs.cluster, Outputs(ready_cluster=inputs.cluster))

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Gone with its cluster."""
        del operation
        inputs = state.inputs
        return state if find_cluster(Google(inputs.project), inputs.zone, inputs.name) else None

    def diff(self, state: State[Inputs, Outputs], inputs: Inputs) -> Diff:
        """Refuse to go on where the cluster is gone though the engine knows of no reason."""
        found = super().diff(state, inputs)
        if not found.changed:
            _existing(Google(inputs.project), inputs)
        return found

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Take other labels over; nothing of a cluster's readiness changes in place."""
        del operation, inputs
        return state.outputs

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Let the cluster, which goes next, finish what it does about volumes."""
        inputs = state.inputs
        google = Google(inputs.project)
        if find_cluster(google, inputs.zone, inputs.name) is not None:
            wait_until_deleted(operation, google, inputs.labels)


def _existing(google: Google, inputs: Inputs) -> Cluster:
    cluster = find_cluster(google, inputs.zone, inputs.name)
    if cluster is None:
        raise ProviderError(
            f"there is no cluster {inputs.name} in {inputs.zone}, though the stack's state has one: it was"
            f" deleted by hand or by the dead-man switch. Run `{DELETE_UNREACHABLE}=true pulumi refresh`,"
            " which forgets it and what ran on it (`tfcluster refresh` does so by itself), then `pulumi up`."
        )
    return cluster
