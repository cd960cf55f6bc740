"""The first resource of a GKE stack and the last to go: its identity, and the proof that nothing is left.

What it looks for, and what it says, is the business of `provider.gcp.inventory`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class InventoryArgs:
    """By what the stack's things are known.

    Attributes:
        project: Id of the Google Cloud project.
        region: Region of the image repository.
        zone: Zone of the cluster.
        name: Name of everything there is one of.
        accounts: Ids of the service accounts.
        labels: Labels of what can carry labels.
        protect_cluster: Whether a change that would replace the cluster is refused.
    """

    project: str
    region: str
    zone: str
    name: str
    accounts: Sequence[str]
    labels: Mapping[str, str]
    protect_cluster: bool


class Inventory(pulumi.ComponentResource):
    """What a stack owns in Google Cloud. Creates nothing there."""

    owner: pulumi.Output[str]
    """Eight hexadecimal digits, new for each life of the stack; what is declared with them comes later."""

    def __init__(self, name: str, args: InventoryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:StackInventory", name, {}, opts)
        inventory = _Inventory(
            f"{name}-list",
            {
                "project": args.project,
                "region": args.region,
                "zone": args.zone,
                "name": args.name,
                "accounts": list(args.accounts),
                "labels": dict(args.labels),
                "protectCluster": args.protect_cluster,
            },
            pulumi.ResourceOptions(parent=self),
        )
        self.owner = inventory.owner
        self.register_outputs({"owner": self.owner})


class _Inventory(pulumi.CustomResource):
    owner: pulumi.Output[str]

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("tfcluster:index:Inventory", name, {**inputs, "owner": None}, opts)
