import pytest

from components.kubernetes.cluster import Cluster, ClusterArgs
from tests.components.kubernetes.declaring import everything
from tests.components.mocks import Recorder, declared


def declare(**changes):
    computed = {"tfcluster:index:ClusterIdentity": {"server": "https://example.com"}}
    args = ClusterArgs(**{"kubeconfig": "kubeconfig", "wait_timeout_s": 60, "is_adopting": False, **changes})
    return declared(lambda: Cluster("cluster", args), Recorder(computed=computed))


def test_a_cluster_is_an_explicit_provider_and_the_memory_of_which_one_it_is():
    assert declare().inventory() == [
        ("pulumi:providers:kubernetes", "cluster-provider"),
        ("tfcluster:index:Cluster", "cluster"),
        ("tfcluster:index:ClusterIdentity", "cluster-identity"),
    ]


@pytest.mark.parametrize(
    ("field", "other"),
    [("kubeconfig", "another"), ("wait_timeout_s", 61), ("is_adopting", True), ("identifier", "a cluster")],
)
def test_no_argument_is_without_effect(field, other):
    assert everything(declare(**{field: other})) != everything(declare())
