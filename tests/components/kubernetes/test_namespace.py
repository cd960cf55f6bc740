import dataclasses

import pytest

from components.kubernetes.namespace import Namespace, NamespaceArgs, quota
from components.kubernetes.network_policy import policies
from tests.components.kubernetes.declaring import SMALL, everything, other_place
from tests.components.mocks import declared

ARGS = {
    "namespace": "tf",
    "kubeconfig": "kubeconfig",
    "pods": [SMALL],
    "interface_role": "if",
    "grpc_port": 2222,
    "interface_ports": [8888, 6006],
    "delete_timeout_s": 60,
    "is_kept": False,
    "is_cluster_owned": False,
}


def declare(**changes):
    return declared(lambda: Namespace("namespace", NamespaceArgs(**{**ARGS, **changes})))


def test_a_namespace_comes_with_quota_policies_and_a_cleanup():
    assert declare().inventory() == sorted(
        [
            ("kubernetes:core/v1:Namespace", "namespace-object"),
            ("kubernetes:core/v1:ResourceQuota", "namespace-quota"),
            *(
                ("kubernetes:networking.k8s.io/v1:NetworkPolicy", f"namespace-{policy}")
                for policy in policies("if", 2222, [8888, 6006])
            ),
            ("tfcluster:index:Namespace", "namespace"),
            ("tfcluster:index:NamespaceCleanup", "namespace-cleanup"),
        ]
    )


def test_only_restricted_pods_are_admitted():
    labels = declare().inputs_of("namespace-object")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_a_namespace_that_is_kept_from_now_on_loses_no_resource_whose_removal_would_remove_it():
    kept = declare(is_kept=True)
    assert kept.inventory() == declare().inventory()
    assert kept.inputs_of("namespace-cleanup")["isKept"] is True


def test_the_quota_has_room_for_every_pod_and_its_replacement():
    assert quota([SMALL, SMALL]) == {
        "requests.cpu": "400m",
        "requests.memory": "1024Mi",
        "limits.cpu": "400m",
        "limits.memory": "1024Mi",
        "pods": "4",
        "services.loadbalancers": "0",
        "services.nodeports": "0",
    }


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(NamespaceArgs)])
def test_no_argument_is_without_effect(field):
    other = {
        "namespace": "other",
        "kubeconfig": "another",
        "pods": [SMALL, other_place()],
        "interface_role": "interface",
        "grpc_port": 2223,
        "interface_ports": [1],
        "delete_timeout_s": 61,
        "is_kept": True,
        "is_cluster_owned": True,
    }[field]
    assert everything(declare(**{field: other})) != everything(declare())
