"""Node pools of a GKE cluster, one after the other, and the moment when all their nodes run.

Which pools there are is planned elsewhere; here each is declared with everything that Google or the provider
might otherwise decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp

from components.gcp.cluster import SCOPE


@dataclass(frozen=True, kw_only=True)
class PoolSpec:
    """One pool.

    Attributes:
        key: What it is for; its logical name.
        name: Its name in GKE; explicit, so that a replacement deletes the old pool before it makes the new
        one.
        machine_type: Machine type of every node.
        node_count: Nodes in the cluster's one zone.
        disk_type: Type of the nodes' boot disks.
        disk_gb: Size of the nodes' boot disks.
        is_spot: Whether Google may take the nodes away at any time.
        node_labels: Kubernetes labels of the nodes.
        taints: Key and value of taints that keep other pods off (`NO_SCHEDULE`).
    """

    key: str
    name: str
    machine_type: str
    node_count: int
    disk_type: str
    disk_gb: int
    is_spot: bool
    node_labels: Mapping[str, str]
    taints: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class NodePoolsArgs:
    """All pools of one cluster.

    Attributes:
        project: Id of the Google Cloud project.
        zone: Zone of cluster and nodes.
        cluster_name: Name of the cluster.
        cluster: Id of the cluster, once it is fit for pools.
        node_account: E-mail address of the nodes' service account, once its roles are granted.
        labels: Labels of instances and disks in Compute Engine.
        pools: In the order in which they are made.
        max_surge: Nodes added while nodes are upgraded.
        ready_timeout_s: How long the nodes may take to run.
    """

    project: str
    zone: str
    cluster_name: str
    cluster: pulumi.Input[str]
    node_account: pulumi.Input[str]
    labels: Mapping[str, pulumi.Input[str]]
    pools: Sequence[PoolSpec]
    max_surge: int
    ready_timeout_s: int


class NodePools(pulumi.ComponentResource):
    """The nodes of a cluster.

    Creates one resource a pool, each after the one before, as GKE works on one pool of a cluster at a time;
    and a resource of the project's own that sees that every node runs, since a pool that failed is reported
    as made.
    """

    nodes: pulumi.Output[dict[str, int]]
    """Running nodes by pool."""

    def __init__(self, name: str, args: NodePoolsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:NodePools", name, {}, opts)
        before: list[pulumi.Resource] = []
        for pool in args.pools:
            made = gcp.container.NodePool(
                f"{name}-{pool.key}",
                name=pool.name,
                cluster=args.cluster,
                location=args.zone,
                node_count=pool.node_count,
                node_config=node_config(args, pool),
                upgrade_settings={"strategy": "SURGE", "max_surge": args.max_surge, "max_unavailable": 1},
                management={"auto_repair": True, "auto_upgrade": True},
                opts=pulumi.ResourceOptions(
                    parent=self,
                    depends_on=before,
                    custom_timeouts=pulumi.CustomTimeouts(create="20m", update="60m", delete="20m"),
                ),
            )
            before = [made]
        ready = _PoolsReady(
            f"{name}-ready",
            {
                "project": args.project,
                "zone": args.zone,
                "clusterName": args.cluster_name,
                "pools": [_wanted(pool) for pool in args.pools],
                "timeoutS": args.ready_timeout_s,
            },
            pulumi.ResourceOptions(parent=self, depends_on=before),
        )
        self.nodes = ready.nodes
        self.register_outputs({"nodes": self.nodes})


def node_config(args: NodePoolsArgs, pool: PoolSpec) -> gcp.container.NodePoolNodeConfigArgsDict:
    """What each node of a pool is like."""
    return {
        "machine_type": pool.machine_type,
        "image_type": "COS_CONTAINERD",
        "boot_disk": {"disk_type": pool.disk_type, "size_gb": pool.disk_gb},
        "service_account": args.node_account,
        "oauth_scopes": [SCOPE],
        "spot": pool.is_spot,
        "labels": pool.node_labels,
        "taints": [{"key": key, "value": value, "effect": "NO_SCHEDULE"} for key, value in pool.taints],
        "resource_labels": args.labels,
        "logging_variant": "DEFAULT",
        "gcfs_config": {"enabled": False},
        "metadata": {"disable-legacy-endpoints": "true"},
        "shielded_instance_config": {"enable_secure_boot": True, "enable_integrity_monitoring": True},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }


def _wanted(pool: PoolSpec) -> dict[str, Any]:
    return {
        "name": pool.name,
        "machineType": pool.machine_type,
        "nodeCount": pool.node_count,
        "diskType": pool.disk_type,
        "diskGb": pool.disk_gb,
    }


class _PoolsReady(pulumi.CustomResource):
    nodes: pulumi.Output[dict[str, int]]

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("tfcluster:index:PoolsReady", name, {**inputs, "nodes": None}, opts)
