"""The last resource of a stack, and so the first to be deleted: where that may not be, it says so then."""

from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class ClusterGuardArgs:
    """What is guarded.

    Attributes:
        project: Id of the Google Cloud project.
        zone: Zone of the cluster.
        cluster_name: Name of the cluster.
        protect_cluster: Whether `destroy` is refused.
    """

    project: str
    zone: str
    cluster_name: str
    protect_cluster: bool


class ClusterGuard(pulumi.ComponentResource):
    """Stands before everything else; give it `depends_on` whatever must not be deleted without it.

    What it looks at and says is the business of `provider.gcp.cluster_guard`.
    """

    def __init__(self, name: str, args: ClusterGuardArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Guard", name, {}, opts)
        inputs: dict[str, Any] = {
            "project": args.project,
            "zone": args.zone,
            "clusterName": args.cluster_name,
            "protectCluster": args.protect_cluster,
        }
        _ClusterGuard(f"{name}-first", inputs, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


class _ClusterGuard(pulumi.CustomResource):
    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("tfcluster:index:ClusterGuard", name, inputs, opts)
