"""Whose a cluster is that stands where the stack's is about to be created."""

import pytest

from provider.gcp.clusters import Cluster
from stacks.leftover_cluster import LeftoverClusterError, check_ownership


def cluster(**labels):
    names = {key.replace("_", "-"): value for key, value in labels.items()}
    return Cluster(name="tf", status="RUNNING", status_message="", labels=names, node_pools=())


def test_a_cluster_of_the_same_life_of_the_stack_may_be_deleted():
    check_ownership(cluster(tfcluster_owner="0123abcd"), {"tfcluster-owner": "0123abcd"}, "us-central1-a")


@pytest.mark.parametrize(
    ("labels", "whose"),
    [({}, "not made by this project"), ({"tfcluster_owner": "4567abcd"}, "tfcluster-owner=4567abcd")],
)
def test_any_other_cluster_is_left_alone(labels, whose):
    with pytest.raises(LeftoverClusterError, match=whose) as raised:
        check_ownership(cluster(**labels), {"tfcluster-owner": "0123abcd"}, "us-central1-a")
    assert "nothing was changed" in str(raised.value)
    assert "pulumi stack rename" in str(raised.value)
