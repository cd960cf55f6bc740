"""The cluster as it is declared: nothing left to a default that could move."""

import dataclasses

import pytest

from components.gcp.cluster import GkeCluster, GkeClusterArgs, TemporaryNode
from tests.components.gcp.computed import google_recorder
from tests.components.mocks import declared

ARGS = GkeClusterArgs(
    project="demo-project",
    name="tfcluster-gke-free",
    zone="us-central1-a",
    network="projects/p/global/networks/n",
    subnetwork="projects/p/regions/r/subnetworks/s",
    node_account="nodes@p.iam.gserviceaccount.com",
    labels={"pulumi-stack": "gke-free"},
    temporary_node=TemporaryNode(machine_type="e2-medium", disk_type="pd-standard", disk_gb=20),
    private_nodes=True,
    ip_endpoint=False,
    deletion_protection=False,
    cloud_logging=True,
)
FIXED = {
    "networkingMode": "VPC_NATIVE",
    "datapathProvider": "ADVANCED_DATAPATH",
    "releaseChannel": {"channel": "REGULAR"},
    "removeDefaultNodePool": True,
    "initialNodeCount": 1,
    "enableLegacyAbac": False,
    "enableShieldedNodes": True,
    "verticalPodAutoscaling": {"enabled": False},
    "defaultMaxPodsPerNode": 110,
}


def cluster(**changes):
    args = dataclasses.replace(ARGS, **changes)
    return declared(lambda: GkeCluster("gke", args), google_recorder()).inputs_of("gke-cluster")


def test_what_google_or_the_provider_might_decide_is_written_down():
    inputs = cluster()
    assert {key: inputs[key] for key in FIXED} == FIXED
    assert inputs["ipAllocationPolicy"]["clusterSecondaryRangeName"] == "pods"
    assert inputs["monitoringConfig"]["managedPrometheus"] == {"enabled": False}
    assert inputs["addonsConfig"]["dnsCacheConfig"] == {"enabled": False}


def test_the_temporary_node_is_small_on_a_standard_disk_and_under_the_stacks_own_account():
    node = cluster()["nodeConfig"]
    assert node["machineType"] == "e2-medium"
    assert node["bootDisk"] == {"diskType": "pd-standard", "sizeGb": 20}
    assert node["serviceAccount"] == ARGS.node_account
    assert node["shieldedInstanceConfig"]["enableSecureBoot"] is True


@pytest.mark.parametrize("ip_endpoint", [False, True])
def test_the_control_plane_is_reached_by_its_name_and_by_its_address_only_if_wanted(ip_endpoint):
    inputs = cluster(ip_endpoint=ip_endpoint)
    endpoints = inputs["controlPlaneEndpointsConfig"]
    assert endpoints["dnsEndpointConfig"]["allowExternalTraffic"] is True
    assert endpoints["ipEndpointsConfig"] == {"enabled": ip_endpoint}
    assert inputs["privateClusterConfig"]["enablePrivateEndpoint"] is not ip_endpoint


def test_the_cluster_is_looked_at_before_anything_is_made_on_it():
    found = declared(lambda: GkeCluster("gke", ARGS), google_recorder())
    assert [kind for kind, _ in found.inventory()] == [
        "gcp:container/cluster:Cluster",
        "tfcluster:index:ClusterReady",
        "tfcluster:index:GkeCluster",
    ]
    assert found.inputs_of("gke-ready")["name"] == "tfcluster-gke-free"
