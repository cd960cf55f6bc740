"""Clusters and pools as they exist: what is fit for use, what is not, and what is said then."""

import pytest

from provider.errors import ProviderError
from provider.gcp import cluster_guard
from provider.gcp.cluster_guard import ClusterGuard
from provider.gcp.cluster_ready import ClusterReady
from provider.gcp.cluster_ready import Inputs as ClusterInputs
from provider.gcp.clusters import find_cluster
from provider.gcp.pools_ready import Inputs as PoolsInputs
from provider.gcp.pools_ready import PoolsReady, WantedPool
from provider.resource import State
from provider.unreachable import DELETE_UNREACHABLE
from tests.gcp_double import operations
from tests.gcp_double.cloud import PROJECT, Fault
from tests.gcp_double.clusters import CLUSTER, NODE_POOL, InitialisationError

ZONE = "us-central1-a"
ID = f"projects/{PROJECT}/locations/{ZONE}/clusters/tf"
CLUSTER_ARGS = {
    "name": "tf",
    "location": ZONE,
    "deletionProtection": False,
    "nodeConfig": {"machineType": "e2-medium"},
}
POOL_ARGS = {
    "name": "workers-e2-standard-2",
    "cluster": ID,
    "location": ZONE,
    "nodeCount": 3,
    "nodeConfig": {"machineType": "e2-standard-2", "bootDisk": {"diskType": "pd-standard", "sizeGb": 30}},
}
CLUSTER_INPUTS = ClusterInputs(project=PROJECT, zone=ZONE, name="tf", cluster=ID, labels={})
POOL = WantedPool(
    name="workers-e2-standard-2",
    machine_type="e2-standard-2",
    node_count=3,
    disk_type="pd-standard",
    disk_gb=30,
)
POOLS_INPUTS = PoolsInputs(project=PROJECT, zone=ZONE, cluster_name="tf", pools=[POOL], timeout_s=1)


@pytest.fixture
def make(google, cloud):
    """Make a resource in the double's cloud, after letting something go wrong."""
    del google

    def made(token, inputs, *faults):
        cloud.inject(*faults)
        with cloud.open() as state:
            return operations.create(state, token, inputs)

    return made


def test_a_cluster_that_runs_is_vouched_for(make, operation):
    make(CLUSTER, CLUSTER_ARGS)
    assert ClusterReady().create(operation, CLUSTER_INPUTS).outputs.ready_cluster == ID


def test_a_temporary_pool_that_a_failed_creation_left_is_deleted(make, google, operation, lines):
    with pytest.raises(InitialisationError):
        make(CLUSTER, CLUSTER_ARGS, Fault(kind="fails-after-acceptance", on=CLUSTER, message="network"))
    assert [pool.name for pool in find_cluster(google, ZONE, "tf").node_pools] == ["default-pool"]
    ClusterReady().create(operation, CLUSTER_INPUTS)
    assert find_cluster(google, ZONE, "tf").node_pools == ()
    assert lines[0] == "a failed creation left default-pool in the cluster; it is deleted now"


def test_a_cluster_in_error_is_reported_with_googles_reason(make, cloud, operation):
    make(CLUSTER, CLUSTER_ARGS)
    with cloud.open() as state:
        state.objects[ID]["outputs"] |= {"status": "ERROR", "statusMessage": "no nodes"}
    with pytest.raises(ProviderError, match=r"is ERROR: no nodes"):
        ClusterReady().create(operation, CLUSTER_INPUTS)


def test_a_cluster_that_was_deleted_by_hand_is_said_to_be_gone(google, operation):
    with pytest.raises(ProviderError, match=r"there is no cluster tf.*pulumi refresh"):
        ClusterReady().create(operation, CLUSTER_INPUTS)


def test_pools_are_ready_when_every_node_runs(make, operation):
    make(CLUSTER, CLUSTER_ARGS)
    make(NODE_POOL, POOL_ARGS)
    assert PoolsReady().create(operation, POOLS_INPUTS).outputs.nodes == {"workers-e2-standard-2": 3}


def test_a_sold_out_zone_names_others_at_once(make, cloud, operation):
    with cloud.open() as state:
        state.leftovers["not offered in us-central1-b"] = [{"name": "e2-standard-2"}]
    make(CLUSTER, CLUSTER_ARGS)
    stock_out = Fault(kind="stock-out", on=NODE_POOL, message="The zone does not have enough resources")
    make(NODE_POOL, POOL_ARGS, stock_out)
    with pytest.raises(ProviderError, match="a stock-out, not a quota") as raised:
        PoolsReady().create(operation, POOLS_INPUTS)
    assert "us-central1-c, us-central1-f" in str(raised.value)
    assert "us-central1-b" not in str(raised.value)
    assert "`tfcluster down`, `pulumi config set zone us-central1-c` and `tfcluster up`" in str(raised.value)


def test_a_pool_in_error_is_reported_with_its_reason(make, cloud, operation):
    make(CLUSTER, CLUSTER_ARGS)
    pool_id, _ = make(NODE_POOL, POOL_ARGS)
    with cloud.open() as state:
        conditions = [{"code": "GCE_QUOTA_EXCEEDED", "message": "Quota 'SSD_TOTAL_GB' exceeded"}]
        state.objects[pool_id]["outputs"] |= {"status": "ERROR", "conditions": conditions, "actualNodes": 1}
    with pytest.raises(
        ProviderError, match=r"is ERROR with 1 of 3 nodes: GCE_QUOTA_EXCEEDED: Quota 'SSD_TOTAL"
    ):
        PoolsReady().create(operation, POOLS_INPUTS)


def test_nodes_that_only_take_long_are_waited_for_until_the_deadline(make, cloud, operation):
    make(CLUSTER, CLUSTER_ARGS)
    pool_id, _ = make(NODE_POOL, POOL_ARGS)
    with cloud.open() as state:
        state.objects[pool_id]["outputs"]["actualNodes"] = 2
    with pytest.raises(ProviderError, match=r"workers-e2-standard-2 2 of 3.*nodeWaitSeconds"):
        PoolsReady().create(operation, POOLS_INPUTS)


def test_a_pool_that_was_deleted_by_hand_is_said_to_be_gone(make, operation):
    make(CLUSTER, CLUSTER_ARGS)
    with pytest.raises(ProviderError, match=r"pool workers-e2-standard-2 does not exist.*pulumi refresh"):
        PoolsReady().create(operation, POOLS_INPUTS)


def guarded(protect):
    inputs = cluster_guard.Inputs(project=PROJECT, zone=ZONE, cluster_name="tf", protect_cluster=protect)
    return State("guard", inputs, cluster_guard.Outputs())


def test_a_protected_cluster_stops_destroy_and_says_how_to_go_on(make, operation):
    make(CLUSTER, CLUSTER_ARGS)
    with pytest.raises(ProviderError, match=r"nothing was deleted.*config set protectCluster false"):
        ClusterGuard().delete(operation, guarded(protect=True))


def test_an_unprotected_cluster_may_go(make, operation):
    make(CLUSTER, CLUSTER_ARGS)
    ClusterGuard().delete(operation, guarded(protect=False))


def test_a_cluster_that_is_gone_already_stops_destroy_with_the_one_command(google, operation, monkeypatch):
    monkeypatch.delenv(DELETE_UNREACHABLE, raising=False)
    with pytest.raises(ProviderError, match="PULUMI_K8S_DELETE_UNREACHABLE=true pulumi destroy"):
        ClusterGuard().delete(operation, guarded(protect=False))
    monkeypatch.setenv(DELETE_UNREACHABLE, "true")
    ClusterGuard().delete(operation, guarded(protect=False))
