"""Every component of the GKE stacks with ordinary arguments, another value for each, and what it creates."""

import dataclasses

from components.gcp.cluster import GkeCluster, GkeClusterArgs, TemporaryNode
from components.gcp.cluster_guard import ClusterGuard, ClusterGuardArgs
from components.gcp.costs import CostMeter, CostMeterArgs
from components.gcp.dead_man_switch import DeadManSwitch, DeadManSwitchArgs
from components.gcp.identity import ServiceAccount, ServiceAccountArgs
from components.gcp.inventory import Inventory, InventoryArgs
from components.gcp.network import Network, NetworkArgs
from components.gcp.node_pool import NodePools, NodePoolsArgs, PoolSpec
from components.gcp.services import Services, ServicesArgs
from tests.components.gcp.catalogue_entry import Entry, owner
from tests.components.gcp.catalogue_of_images import OF_IMAGES

POOL = PoolSpec(
    key="main",
    name="main-e2-standard-8",
    machine_type="e2-standard-8",
    node_count=1,
    disk_type="pd-balanced",
    disk_gb=30,
    is_spot=False,
    node_labels={"app-if": "true"},
    taints=[],
)
TEMPORARY = TemporaryNode(machine_type="e2-medium", disk_type="pd-standard", disk_gb=20)
PLACE = {"project": "demo-project", "zone": "us-central1-a"}
OTHER_PLACE = {"project": "other-project", "zone": "us-central1-b"}

CATALOGUE = OF_IMAGES | {
    "services": Entry(
        component=Services,
        args=lambda: ServicesArgs(services=["compute", "iam"]),
        changes=lambda: {"services": ["compute"]},
        creates={("Service", "it-compute"), ("Service", "it-iam")},
    ),
    "network": Entry(
        component=Network,
        args=lambda: NetworkArgs(name="tf", region="us-central1", description="of it", private_nodes=True),
        changes=lambda: {"name": "o", "region": "us-east1", "description": "no", "private_nodes": False},
        creates={
            ("Network", "it-vpc"),
            ("Subnetwork", "it-subnet"),
            ("Router", "it-router"),
            ("RouterNat", "it-nat"),
        },
    ),
    "service account": Entry(
        component=ServiceAccount,
        args=lambda: ServiceAccountArgs(
            project="demo-project",
            account_id="tf-nodes",
            display_name="Nodes",
            description="of it",
            project_roles=["roles/a", "roles/b"],
        ),
        changes=lambda: {
            "project": "other-project",
            "account_id": "tf-other",
            "display_name": "Others",
            "description": "no",
            "project_roles": ["roles/a"],
        },
        creates={("Account", "it-account"), ("IAMMember", "it-role-0"), ("IAMMember", "it-role-1")},
    ),
    "dead-man switch": Entry(
        component=DeadManSwitch,
        args=lambda: DeadManSwitchArgs(
            **PLACE,
            region="us-central1",
            name="tf",
            account_id="tf-reap",
            owner=owner(),
            description="of it",
            ttl_hours=12,
        ),
        changes=lambda: {
            **OTHER_PLACE,
            "region": "us-east1",
            "name": "other",
            "account_id": "other-reap",
            "owner": owner("89abcdef"),
            "description": "no",
            "ttl_hours": 3,
        },
        creates={
            ("Deadline", "it-deadline"),
            ("IAMCustomRole", "it-role"),
            ("GoogleServiceAccount", "it-account"),
            ("Account", "it-account-account"),
            ("IAMMember", "it-account-role-0"),
            ("Job", "it-call"),
        },
    ),
    "costs": Entry(
        component=CostMeter,
        args=lambda: CostMeterArgs(dollars_per_hour=0.5, prices_of="3 August 2026", ends_at=""),
        changes=lambda: {
            "dollars_per_hour": 0.6,
            "prices_of": "4 August 2026",
            "ends_at": "2026-12-01T06:05Z",
        },
        creates={("CostMeter", "it-meter")},
    ),
    "cluster": Entry(
        component=GkeCluster,
        args=lambda: GkeClusterArgs(
            **PLACE,
            name="tf",
            network="n",
            subnetwork="s",
            node_account="nodes@p.iam.gserviceaccount.com",
            labels={"a": "b"},
            temporary_node=TEMPORARY,
            private_nodes=True,
            ip_endpoint=False,
            deletion_protection=False,
            cloud_logging=True,
        ),
        changes=lambda: {
            **OTHER_PLACE,
            "name": "other",
            "network": "o",
            "subnetwork": "o",
            "node_account": "others@p.iam.gserviceaccount.com",
            "labels": {"a": "c"},
            "temporary_node": dataclasses.replace(TEMPORARY, disk_gb=30),
            "private_nodes": False,
            "ip_endpoint": True,
            "deletion_protection": True,
            "cloud_logging": False,
        },
        creates={("Cluster", "it-cluster"), ("ClusterReady", "it-ready")},
    ),
    "node pools": Entry(
        component=NodePools,
        args=lambda: NodePoolsArgs(
            **PLACE,
            cluster_name="tf",
            cluster="c",
            node_account="nodes@p.iam.gserviceaccount.com",
            labels={"a": "b"},
            pools=[POOL],
            max_surge=0,
            ready_timeout_s=900,
        ),
        changes=lambda: {
            **OTHER_PLACE,
            "cluster_name": "other",
            "cluster": "o",
            "node_account": "others@p.iam.gserviceaccount.com",
            "labels": {"a": "c"},
            "pools": [dataclasses.replace(POOL, node_count=2)],
            "max_surge": 1,
            "ready_timeout_s": 60,
        },
        creates={("NodePool", "it-main"), ("PoolsReady", "it-ready")},
    ),
    "inventory": Entry(
        component=Inventory,
        args=lambda: InventoryArgs(
            **PLACE,
            region="us-central1",
            name="tf",
            accounts=["tf-nodes"],
            labels={"a": "b"},
            protect_cluster=False,
        ),
        changes=lambda: {
            **OTHER_PLACE,
            "region": "us-east1",
            "name": "other",
            "accounts": ["other-nodes"],
            "labels": {"a": "c"},
            "protect_cluster": True,
        },
        creates={("Inventory", "it-list")},
    ),
    "cluster guard": Entry(
        component=ClusterGuard,
        args=lambda: ClusterGuardArgs(**PLACE, cluster_name="tf", protect_cluster=False),
        changes=lambda: {**OTHER_PLACE, "cluster_name": "other", "protect_cluster": True},
        creates={("ClusterGuard", "it-first")},
    ),
}
"""Every component, by what it is."""
