"""The cloud half of a GKE stack: from an empty project to nodes that run and images that they may pull.

Composes components in the order in which they need each other; what runs on the nodes is `stacks.workload`'s.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pulumi

from components.gcp.cluster import GkeCluster, GkeClusterArgs, TemporaryNode
from components.gcp.costs import CostMeter, CostMeterArgs
from components.gcp.dead_man_switch import DeadManSwitch, DeadManSwitchArgs
from components.gcp.identity import NODE_ROLES, ServiceAccount, ServiceAccountArgs
from components.gcp.images import PLATFORM, TARGETS, Images, ImagesArgs
from components.gcp.names import Names
from components.gcp.network import Network, NetworkArgs
from components.gcp.node_pool import NodePools, NodePoolsArgs, PoolSpec
from provider.gcp.build_context import context_hash
from stacks.capacity.machines import PRICES_AS_OF
from stacks.capacity.plan import Plan, Pool
from stacks.gke_site import Site, declare_site
from stacks.settings import GkeSettings, Settings

TRAINING = Path(__file__).resolve().parent.parent / "training"
"""Build context of the images."""


@dataclass(frozen=True, kw_only=True)
class ReadyCluster:
    """What the workload needs of the cloud.

    Attributes:
        id: Id of the cluster.
        endpoint: DNS name of its control plane.
        pools: The nodes; what runs on them comes after this.
        images: Image with digest by target.
        labels: Labels for what the cluster makes in Compute Engine on the workload's behalf.
        delete_at: When the dead-man switch deletes the cluster; empty where it is off.
    """

    id: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    pools: NodePools
    images: Mapping[str, pulumi.Input[str]]
    labels: Mapping[str, pulumi.Input[str]]
    delete_at: pulumi.Input[str]


def declare_cluster(settings: Settings, names: Names, plan: Plan) -> ReadyCluster:
    """Declare everything in Google Cloud that the plan asks for."""
    site = declare_site(settings, names, plan)
    network = Network("network", _network_args(settings, site), site.options())
    nodes = ServiceAccount("nodes", _node_account_args(site), site.options())
    images = _images(settings, site, nodes)
    switch = _dead_man_switch(settings.gke, site)
    delete_at: pulumi.Input[str] = switch.delete_at if switch else ""
    price = round(plan.cost.dollars_per_hour, 4)
    meter = CostMeter(
        "costs",
        CostMeterArgs(dollars_per_hour=price, prices_of=PRICES_AS_OF, ends_at=delete_at),
        site.options(),
    )
    cluster = GkeCluster(
        "gke",
        _cluster_args(settings, site, plan, network, nodes),
        site.options(meter, *([switch] if switch else [])),
    )
    pools = NodePools(
        "pools",
        _pools_args(settings, site, plan, cluster, nodes),
        pulumi.ResourceOptions(
            providers=[site.google],
            deleted_with=cluster.cluster,
            depends_on=[images.pull_grant] if images else [],
        ),
    )
    return ReadyCluster(
        id=cluster.ready_id,
        endpoint=cluster.endpoint,
        pools=pools,
        images=_references(settings, images),
        labels=site.labels,
        delete_at=delete_at,
    )


def pool_spec(pool: Pool) -> PoolSpec:
    """A planned pool in the component's words."""
    return PoolSpec(
        key=pool.key,
        name=pool.name,
        machine_type=pool.machine_type,
        node_count=pool.node_count,
        disk_type=pool.disk.type,
        disk_gb=pool.disk.size_gb,
        is_spot=pool.is_spot,
        node_labels=pool.labels,
        taints=[(taint.key, taint.value) for taint in pool.taints],
    )


def _images(settings: Settings, site: Site, nodes: ServiceAccount) -> Images | None:
    builder = settings.gke.image_builder
    if builder == "prebuilt":
        return None
    args = ImagesArgs(
        project=site.project,
        region=site.region,
        repository_id=site.names.base,
        builder=builder,
        reader=nodes.member,
        builder_account_id=site.names.builder_account,
        owner=site.owner,
        labels=site.labels,
        description=site.description,
        context=str(TRAINING),
        context_hash=context_hash(TRAINING, targets=TARGETS, platform=PLATFORM),
        build_timeout_s=settings.gke.image_build_timeout_seconds,
    )
    return Images("images", args, site.options())


def _dead_man_switch(gke: GkeSettings, site: Site) -> DeadManSwitch | None:
    if not gke.ttl_hours:
        return None
    args = DeadManSwitchArgs(
        project=site.project,
        region=site.region,
        zone=site.zone,
        name=site.names.base,
        account_id=site.names.reaper_account,
        owner=site.owner,
        description=site.description,
        ttl_hours=gke.ttl_hours,
    )
    return DeadManSwitch("dead-man-switch", args, site.options())


def _cluster_args(
    settings: Settings, site: Site, plan: Plan, network: Network, nodes: ServiceAccount
) -> GkeClusterArgs:
    temporary = plan.temporary_pool
    return GkeClusterArgs(
        project=site.project,
        name=site.names.base,
        zone=site.zone,
        network=network.network,
        subnetwork=network.subnetwork,
        node_account=nodes.email,
        labels=site.labels,
        temporary_node=TemporaryNode(
            machine_type=temporary.machine_type,
            disk_type=temporary.disk.type,
            disk_gb=temporary.disk.size_gb,
        ),
        private_nodes=settings.capacity.private_nodes,
        ip_endpoint=settings.gke.ip_endpoint,
        deletion_protection=settings.gke.protect_cluster,
        cloud_logging=settings.capacity.cloud_logging,
    )


def _network_args(settings: Settings, site: Site) -> NetworkArgs:
    return NetworkArgs(
        name=site.names.base,
        region=site.region,
        description=site.description,
        private_nodes=settings.capacity.private_nodes,
    )


def _node_account_args(site: Site) -> ServiceAccountArgs:
    return ServiceAccountArgs(
        project=site.project,
        account_id=site.names.node_account,
        display_name="Nodes of the cluster",
        description=site.description,
        project_roles=NODE_ROLES,
    )


def _pools_args(
    settings: Settings, site: Site, plan: Plan, cluster: GkeCluster, nodes: ServiceAccount
) -> NodePoolsArgs:
    return NodePoolsArgs(
        project=site.project,
        zone=site.zone,
        cluster_name=site.names.base,
        cluster=cluster.ready_id,
        node_account=nodes.email,
        labels=site.labels,
        pools=[pool_spec(pool) for pool in plan.layout.pools],
        max_surge=settings.capacity.max_surge,
        ready_timeout_s=settings.gke.node_wait_seconds,
    )


def _references(settings: Settings, images: Images | None) -> Mapping[str, pulumi.Input[str]]:
    if images is not None:
        return images.references
    server, interface = TARGETS
    return {server: settings.kubernetes.server_image, interface: settings.kubernetes.interface_image}
