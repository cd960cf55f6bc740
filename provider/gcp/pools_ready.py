"""Node pools that really have their nodes.

The GCP provider reports a pool as made once it exists, also when its creation failed, as it does when a zone
is sold out. Here each pool is looked at: its status, what GKE says of it, and its nodes.
"""

from provider.errors import ProviderError
from provider.gcp.clusters import NodeCount, NodePool, count_nodes, find_cluster, node_errors
from provider.gcp.rest import Google
from provider.gcp.zones import region_of, zones_offering
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Resource, State

_SOLD_OUT = ("STOCKOUT", "ZONE_RESOURCE_POOL_EXHAUSTED", "RESOURCE_POOL_EXHAUSTED")
_BAD = ("ERROR", "RUNNING_WITH_ERROR")


class WantedPool(Properties, frozen=True, kw_only=True):
    """One pool as declared; what changes its nodes is here, so that a change is waited for again."""

    name: str
    machine_type: str
    node_count: int
    disk_type: str
    disk_gb: int


class Inputs(Properties, frozen=True, kw_only=True):
    """Which pools of which cluster, and how long their nodes may take."""

    project: str
    zone: str
    cluster_name: str
    pools: list[WantedPool]
    timeout_s: int


class Outputs(Properties, frozen=True, kw_only=True):
    """Nodes that run, by pool."""

    nodes: dict[str, int]


class PoolsReady(Resource[Inputs, Outputs]):
    """The moment when every declared node runs, or the sentence that says why it does not."""

    inputs_type = Inputs
    outputs_type = Outputs

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Wait for the nodes of all pools."""
        return Created(f"{inputs.zone}/{inputs.cluster_name}", _wait(operation, inputs))

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Gone with its cluster."""
        del operation
        inputs = state.inputs
        return state if find_cluster(Google(inputs.project), inputs.zone, inputs.cluster_name) else None

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Wait again after a change."""
        del state
        return _wait(operation, inputs)

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Leave the pools alone."""


def _wait(operation: Operation, inputs: Inputs) -> Outputs:
    google = Google(inputs.project)
    counts: dict[str, NodeCount] = {}

    def all_run() -> bool:
        cluster = find_cluster(google, inputs.zone, inputs.cluster_name)
        existing = {pool.name: pool for pool in cluster.node_pools} if cluster else {}
        for wanted in inputs.pools:
            pool = existing.get(wanted.name)
            if pool is None:
                raise ProviderError(
                    f"pool {wanted.name} does not exist, though the stack's state has it: it was deleted by"
                    " hand. Run `pulumi refresh`, then `pulumi up`."
                )
            counts[wanted.name] = count_nodes(google, pool)
            if counts[wanted.name].running < wanted.node_count:
                _raise_if_hopeless(google, inputs, pool, wanted, counts[wanted.name])
        return all(counts[wanted.name].running >= wanted.node_count for wanted in inputs.pools)

    def status() -> str:
        return ", ".join(f"{one.name} {counts[one.name].running} of {one.node_count}" for one in inputs.pools)

    operation.wait_until(
        "the nodes of all pools",
        all_run,
        deadline_s=inputs.timeout_s,
        setting="nodeWaitSeconds",
        status=status,
        period_s=5,
    )
    return Outputs(nodes={name: count.running for name, count in counts.items()})


def _raise_if_hopeless(
    google: Google, inputs: Inputs, pool: NodePool, wanted: WantedPool, count: NodeCount
) -> None:
    reasons = [*pool.conditions, *node_errors(google, pool)]
    if any(word in reason for reason in reasons for word in _SOLD_OUT):
        raise ProviderError(_sold_out(google, inputs, wanted, count, reasons))
    if pool.status in _BAD:
        said = "; ".join(reasons) or "GKE gives no reason"
        raise ProviderError(
            f"pool {pool.name} is {pool.status} with {count.running} of {wanted.node_count} nodes: {said}."
            " The pool stays in the stack's state: fix the cause and run `pulumi up`, or `pulumi destroy`."
        )


def _sold_out(
    google: Google, inputs: Inputs, wanted: WantedPool, count: NodeCount, reasons: list[str]
) -> str:
    offering = zones_offering(google, region_of(inputs.zone), wanted.machine_type)
    others = [zone for zone in offering if zone != inputs.zone]
    advice = (
        f"Other zones of this region that offer {wanted.machine_type}: {', '.join(others)}. Run"
        f" `tfcluster down`, `pulumi config set zone {others[0]}` and `tfcluster up`, which makes the cluster"
        " there"
        if others
        else f"No other zone of this region offers {wanted.machine_type}: choose another machineType or"
        " region"
    )
    return (
        f"{inputs.zone} has no {wanted.machine_type} left to give (a stock-out, not a quota): pool"
        f" {wanted.name} has {count.running} of {wanted.node_count} nodes. {advice}, or try again later."
        f" Google said: {reasons[0]}"
    )
