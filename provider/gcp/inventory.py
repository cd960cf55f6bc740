"""The stack's inventory: made before everything else, and deleted last, if nothing else is left.

It gives the stack an identity of its own (`owner`), which labels carry: what an interrupted `up` left behind
is told from what another checkout made under the same name. It deletes nothing itself but the disks of
volumes whose cluster is gone, which nobody else would.
"""

import secrets

from provider.errors import ProviderError
from provider.gcp.claimed_disks import OWNER_LABEL, delete_orphans
from provider.gcp.leftovers import Belongings, Found, find_leftovers
from provider.gcp.rest import Google
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Resource, State

SETTLE_S, LOOK_PERIOD_S = 20.0, 4.0
"""How long the same things must be found again and again, as lists lag behind deletions by seconds."""


class Inputs(Properties, frozen=True, kw_only=True):
    """What belongs to the stack, and what must not be replaced."""

    project: str
    region: str
    zone: str
    name: str
    accounts: list[str]
    labels: dict[str, str]
    protect_cluster: bool


class Outputs(Properties, frozen=True, kw_only=True):
    """The stack's identity: eight hexadecimal digits that stay until `destroy`."""

    owner: str


_IDENTIFYING = {"zone": "zone", "name": "cluster name", "project": "project"}


class Inventory(Resource[Inputs, Outputs]):
    """Proves at `destroy` that nothing of the stack is left, and fails naming each thing that is."""

    inputs_type = Inputs
    outputs_type = Outputs

    def diff(self, state: State[Inputs, Outputs], inputs: Inputs) -> Diff:
        """Refuse what would replace the cluster under its pods, before anything is touched.

        The engine would have to delete what runs on the cluster first, with a connection that it has closed
        by then (https://github.com/pulumi/pulumi/issues/14650).
        """
        changes = [
            f"{word} {getattr(state.inputs, field)} to {getattr(inputs, field)}"
            for field, word in _IDENTIFYING.items()
            if getattr(state.inputs, field) != getattr(inputs, field)
        ]
        if changes:
            raise ProviderError(_another_cluster(" and ".join(changes), state.inputs.protect_cluster))
        return super().diff(state, inputs)

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Name the stack; say what an earlier life of it left behind."""
        found = find_leftovers(Google(inputs.project), _belongings(inputs))
        for leftover in found.leftovers:
            operation.progress.warn(f"left from an earlier stack of this name: {leftover}")
        return Created(f"{inputs.project}/{inputs.name}", Outputs(owner=secrets.token_hex(4)))

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Note what belongs to the stack from now on."""
        del operation, inputs
        return state.outputs

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Look for whatever is left, and give Google a while to let go of what was just deleted."""
        google, belongings = Google(state.inputs.project), _belongings(state.inputs)
        delete_orphans(operation, google, {**state.inputs.labels, OWNER_LABEL: state.outputs.owner})
        found = _settled(operation, google, belongings)
        if found.leftovers:
            lines = "".join(f"\n  - {leftover}" for leftover in found.leftovers)
            raise ProviderError(
                f"not everything of this stack is gone; {len(found.leftovers)} left in {google.project}"
                f", and may cost money:{lines}\nDelete them with these commands, then run `pulumi destroy`"
                " again."
            )
        for kind in found.unseen:
            operation.progress.warn(f"could not be looked at, so look yourself: {kind}")
        if not found.unseen:
            operation.progress.say(f"nothing of this stack is left in {google.project}")


def _another_cluster(changes: str, is_protected: bool) -> str:
    unprotect = (
        " It is protected: undo the change, run `pulumi config set protectCluster false` and `pulumi up`"
        " before that."
    )
    return (
        f"changing {changes} would replace the cluster with everything on it: nothing was changed. To have"
        " that, run `tfcluster down` and then `tfcluster up` (or `pulumi destroy` and `pulumi up`)."
        f"{unprotect if is_protected else ''}"
    )


def _settled(operation: Operation, google: Google, belongings: Belongings) -> Found:
    found = find_leftovers(google, belongings)
    unchanged_s = 0.0
    while found.leftovers and unchanged_s < SETTLE_S:
        names = ", ".join(f"{one.kind} {one.name}" for one in found.leftovers)
        operation.progress.show(f"still there: {names}")
        operation.sleep(LOOK_PERIOD_S)
        again = find_leftovers(google, belongings)
        unchanged_s = unchanged_s + LOOK_PERIOD_S if again.leftovers == found.leftovers else 0
        found = again
    return found


def _belongings(inputs: Inputs) -> Belongings:
    return Belongings(
        labels=inputs.labels,
        name=inputs.name,
        accounts=frozenset(inputs.accounts),
        zone=inputs.zone,
        region=inputs.region,
    )
