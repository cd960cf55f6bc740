"""A zonal GKE cluster, without node pools: those are `node_pool`'s.

Every default that Google or the provider might move is written down, so that a second `up` and a refresh find
nothing to change. What each field means: https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp

from components.gcp.network import PODS, SERVICES

MAX_PODS_PER_NODE = 110
RELEASE_CHANNEL = "REGULAR"
LOGGED = ["SYSTEM_COMPONENTS", "WORKLOADS"]

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""Scope of the nodes; the broad one on purpose: what their account may do is limited by its roles."""


@dataclass(frozen=True, kw_only=True)
class TemporaryNode:
    """The one node that GKE insists on while a cluster is created, deleted within the creation."""

    machine_type: str
    disk_type: str
    disk_gb: int


@dataclass(frozen=True, kw_only=True)
class GkeClusterArgs:
    """What the cluster is like.

    Attributes:
        project: Id of the Google Cloud project.
        name: Name, at most 40 characters.
        zone: Zone; a region would make everything three times.
        network: Id of the network.
        subnetwork: Id of the subnet, whose secondary ranges are `network.PODS` and `network.SERVICES`.
        node_account: E-mail address of the nodes' service account.
        labels: Labels of the cluster, which GKE passes on to nodes and disks.
        temporary_node: Shape of the temporary node.
        private_nodes: Whether nodes have no external address.
        ip_endpoint: Whether the control plane also answers at an address of its own, besides its DNS name.
        deletion_protection: Whether the provider refuses to delete the cluster.
        cloud_logging: Whether the pods' logs go to Cloud Logging.
    """

    project: str
    name: str
    zone: str
    network: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
    node_account: pulumi.Input[str]
    labels: Mapping[str, pulumi.Input[str]]
    temporary_node: TemporaryNode
    private_nodes: bool
    ip_endpoint: bool
    deletion_protection: bool
    cloud_logging: bool


class GkeCluster(pulumi.ComponentResource):
    """A cluster that is fit for node pools.

    Creates the cluster, and a resource of the project's own that removes what a failed creation left in it,
    and before the cluster goes sees that it has deleted its volumes' disks.
    """

    cluster: gcp.container.Cluster
    """The cluster, for `deleted_with`."""

    ready_id: pulumi.Output[str]
    """Its id, once it is fit for node pools."""

    endpoint: pulumi.Output[str]
    """DNS name of its control plane."""

    def __init__(self, name: str, args: GkeClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:GkeCluster", name, {}, opts)
        self.cluster = gcp.container.Cluster(
            f"{name}-cluster",
            name=args.name,
            location=args.zone,
            deletion_protection=args.deletion_protection,
            resource_labels=args.labels,
            network=args.network,
            subnetwork=args.subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy={
                "cluster_secondary_range_name": PODS,
                "services_secondary_range_name": SERVICES,
                "stack_type": "IPV4",
            },
            default_max_pods_per_node=MAX_PODS_PER_NODE,
            # its NetworkPolicies bind without an add-on; it takes the place of kube-proxy on every node
            datapath_provider="ADVANCED_DATAPATH",
            private_cluster_config=private_access(args),
            control_plane_endpoints_config=endpoints(args),
            remove_default_node_pool=True,
            initial_node_count=1,
            node_config=temporary_node_config(args),
            node_pool_defaults=node_defaults(),
            release_channel={"channel": RELEASE_CHANNEL},
            workload_identity_config={"workload_pool": f"{args.project}.svc.id.goog"},
            logging_config={"enable_components": LOGGED if args.cloud_logging else []},
            monitoring_config=monitoring(),
            addons_config=addons(),
            enable_shielded_nodes=True,
            enable_legacy_abac=False,
            enable_kubernetes_alpha=False,
            vertical_pod_autoscaling={"enabled": False},
            cost_management_config={"enabled": True},
            security_posture_config={"mode": "DISABLED", "vulnerability_mode": "VULNERABILITY_DISABLED"},
            master_auth={"client_certificate_config": {"issue_client_certificate": False}},
            opts=pulumi.ResourceOptions(
                parent=self,
                # nodeConfig: GKE forgets the temporary node's shape with the node; dnsConfig: filled in by
                # GKE. The provider would take either for a difference, the first for one that replaces the
                # cluster.
                ignore_changes=["nodeConfig", "dnsConfig"],
                custom_timeouts=pulumi.CustomTimeouts(create="30m", update="60m", delete="30m"),
            ),
        )
        ready = _ClusterReady(
            f"{name}-ready",
            {
                "project": args.project,
                "zone": args.zone,
                "name": args.name,
                "cluster": self.cluster.id,
                "labels": args.labels,
            },
            pulumi.ResourceOptions(parent=self),
        )
        self.ready_id = ready.readyCluster
        self.endpoint = self.cluster.control_plane_endpoints_config.apply(_dns_name)
        self.register_outputs({"readyId": self.ready_id, "endpoint": self.endpoint})


def temporary_node_config(args: GkeClusterArgs) -> gcp.container.ClusterNodeConfigArgsDict:
    """The temporary node: small, on a standard disk, and under the stack's own account like all others."""
    node = args.temporary_node
    return {
        "machine_type": node.machine_type,
        "boot_disk": {"disk_type": node.disk_type, "size_gb": node.disk_gb},
        "service_account": args.node_account,
        "oauth_scopes": [SCOPE],
        "resource_labels": args.labels,
        "shielded_instance_config": {"enable_secure_boot": True, "enable_integrity_monitoring": True},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }


def private_access(args: GkeClusterArgs) -> gcp.container.ClusterPrivateClusterConfigArgsDict:
    """Where nodes and control plane can be reached at addresses of their own."""
    # a control plane without an address of its own is private in GKE's words, whatever the program says
    return {"enable_private_nodes": args.private_nodes, "enable_private_endpoint": not args.ip_endpoint}


def endpoints(args: GkeClusterArgs) -> gcp.container.ClusterControlPlaneEndpointsConfigArgsDict:
    """The control plane's DNS name, at which IAM admits or refuses, and its address if that is wanted."""
    return {
        "dns_endpoint_config": {
            "allow_external_traffic": True,
            "enable_k8s_tokens_via_dns": False,
            "enable_k8s_certs_via_dns": False,
        },
        "ip_endpoints_config": {"enabled": args.ip_endpoint},
    }


def node_defaults() -> gcp.container.ClusterNodePoolDefaultsArgsDict:
    """What GKE would otherwise decide for pools."""
    return {
        "node_config_defaults": {
            "insecure_kubelet_readonly_port_enabled": "FALSE",
            "logging_variant": "DEFAULT",
            "gcfs_config": {"enabled": False},
        }
    }


def monitoring() -> gcp.container.ClusterMonitoringConfigArgsDict:
    """Google's own metrics of the system, and nothing that takes more CPU from the nodes."""
    return {
        "enable_components": ["SYSTEM_COMPONENTS"],
        "managed_prometheus": {"enabled": False},
        "advanced_datapath_observability_config": {"enable_metrics": False, "enable_relay": False},
    }


def addons() -> gcp.container.ClusterAddonsConfigArgsDict:
    """The driver of disks alone: each further add-on takes CPU from every node."""
    return {
        "gce_persistent_disk_csi_driver_config": {"enabled": True},
        "http_load_balancing": {"disabled": True},
        "horizontal_pod_autoscaling": {"disabled": True},
        "dns_cache_config": {"enabled": False},
        "network_policy_config": {"disabled": True},
        "gcp_filestore_csi_driver_config": {"enabled": False},
        "gcs_fuse_csi_driver_config": {"enabled": False},
        "gke_backup_agent_config": {"enabled": False},
        "config_connector_config": {"enabled": False},
    }


def _dns_name(config: Any) -> str:
    return str(config.dns_endpoint_config.endpoint)


class _ClusterReady(pulumi.CustomResource):
    readyCluster: pulumi.Output[str]  # noqa: N815 -- the engine's name of the output

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("tfcluster:index:ClusterReady", name, {**inputs, "readyCluster": None}, opts)
