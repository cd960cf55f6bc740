"""The double counts quotas at their peak, as Google does: through creation, growth, upgrade and deletion."""

import pytest

from tests.gcp_double import operations
from tests.gcp_double.cloud import Cloud, CloudError, Fault
from tests.gcp_double.clusters import CLUSTER, NODE_POOL, InitialisationError

ZONE = "us-central1-a"


def cluster(**changes):
    node = {"machineType": "e2-medium", "bootDisk": {"diskType": "pd-standard", "sizeGb": 20}}
    given = {
        "name": "tf",
        "location": ZONE,
        "deletionProtection": False,
        "initialNodeCount": 1,
        "nodeConfig": node,
        "privateClusterConfig": {"enablePrivateNodes": True},
    }
    return given | changes


def pool(count=2, machine_type="n1-standard-1", **changes):
    node = {"machineType": machine_type, "bootDisk": {"diskType": "pd-standard", "sizeGb": 30}}
    given = {"name": "pool", "cluster": "tf", "location": ZONE, "nodeCount": count, "nodeConfig": node}
    return given | {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 1}} | changes


@pytest.fixture
def state(tmp_path):
    with Cloud(tmp_path / "cloud.json").open() as opened:
        opened.enabled.append("container")
        yield opened


def test_the_temporary_pool_counts_while_the_cluster_is_made(state):
    operations.create(state, CLUSTER, cluster())
    assert (state.peaks["CPUS"], state.used("CPUS")) == (2, 0)
    assert (state.peaks["DISKS_TOTAL_GB"], state.used("DISKS_TOTAL_GB")) == (20, 0)


def test_a_temporary_node_that_nobody_described_takes_ssd_quota_in_every_zone_of_a_region(state):
    regional = cluster(location="us-central1")
    del regional["nodeConfig"]
    with pytest.raises(CloudError, match=r"resource .SSD_TOTAL_GB.: request requires .300\.0"):
        operations.create(state, CLUSTER, regional)
    assert state.objects == {}


def test_public_nodes_take_an_address_each(state):
    operations.create(state, CLUSTER, cluster(privateClusterConfig={}))
    with pytest.raises(CloudError, match="IN_USE_ADDRESSES"):
        operations.create(state, NODE_POOL, pool(count=5))


def test_a_surge_node_counts_during_an_upgrade(state):
    operations.create(state, CLUSTER, cluster())
    surging = {"upgradeSettings": {"maxSurge": 1, "maxUnavailable": 0}}
    pool_id, outputs = operations.create(state, NODE_POOL, pool(count=7, **surging))
    operations.update(state, NODE_POOL, pool_id, outputs, pool(count=7, **surging))
    assert state.peaks["CPUS"] == 7, "nothing was rolled"
    bigger = pool(count=7, **surging)
    bigger["nodeConfig"] = {**bigger["nodeConfig"], "bootDisk": {"diskType": "pd-standard", "sizeGb": 40}}
    operations.update(state, NODE_POOL, pool_id, outputs, bigger)
    assert (state.peaks["CPUS"], state.used("CPUS")) == (8, 7)


def test_growing_beyond_the_limit_is_refused_and_changes_nothing(state):
    operations.create(state, CLUSTER, cluster())
    pool_id, outputs = operations.create(state, NODE_POOL, pool(count=8))
    with pytest.raises(CloudError, match=r"request requires .9\.0. and is short .1\.0"):
        operations.update(state, NODE_POOL, pool_id, outputs, pool(count=9))
    assert state.used("CPUS") == 8


def test_deleting_the_cluster_gives_everything_back(state):
    cluster_id, outputs = operations.create(state, CLUSTER, cluster())
    operations.create(state, NODE_POOL, pool())
    operations.delete(state, CLUSTER, cluster_id, outputs)
    assert state.use == {}
    assert state.objects == {}


def test_protection_guards_the_call_that_deletes_the_cluster(state):
    cluster_id, outputs = operations.create(state, CLUSTER, cluster(deletionProtection=True))
    with pytest.raises(CloudError, match="deletion_protection is set to true"):
        operations.delete(state, CLUSTER, cluster_id, outputs)
    pool_id, pool_outputs = operations.create(state, NODE_POOL, pool())
    operations.delete(state, NODE_POOL, pool_id, pool_outputs)
    assert list(state.objects) == [cluster_id]


def test_a_creation_that_fails_after_acceptance_leaves_its_temporary_pool(state):
    state.faults.append(vars(Fault(kind="fails-after-acceptance", on=CLUSTER, message="internal")))
    with pytest.raises(InitialisationError, match="internal"):
        operations.create(state, CLUSTER, cluster())
    assert [key.rpartition("/")[2] for key in state.objects] == ["tf", "default-pool"]
    assert state.used("CPUS") == 2


def test_a_pool_without_nodes_is_reported_as_made_when_a_zone_is_sold_out(state):
    operations.create(state, CLUSTER, cluster())
    state.faults.append(vars(Fault(kind="stock-out", on=NODE_POOL, message="sold out")))
    _, outputs = operations.create(state, NODE_POOL, pool())
    assert (outputs["status"], outputs["actualNodes"]) == ("ERROR", 0)
    assert state.used("CPUS") == 0


def test_a_network_in_use_cannot_be_deleted(state):
    network = "gcp:compute/network:Network"
    network_id, outputs = operations.create(state, network, {"name": "tf"})
    operations.create(state, "gcp:compute/router:Router", {"name": "tf", "network": network_id})
    with pytest.raises(CloudError, match="already being used by"):
        operations.delete(state, network, network_id, outputs)


def test_a_grant_goes_with_its_repository(state):
    state.enabled += ["iam", "artifactregistry"]
    account = "nodes@demo-project.iam.gserviceaccount.com"
    place = {"location": "us-central1"}
    operations.create(state, "gcp:serviceaccount/account:Account", {"accountId": "nodes"})
    kind = "gcp:artifactregistry/repository:Repository"
    repository, _ = operations.create(state, kind, {**place, "repositoryId": "tf", "format": "DOCKER"})
    grant = {**place, "repository": "tf", "role": "r", "member": f"serviceAccount:{account}"}
    operations.create(state, "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember", grant)
    operations.delete(state, kind, repository, {})
    assert list(state.objects) == list(state.use) == [f"projects/demo-project/serviceAccounts/{account}"]
