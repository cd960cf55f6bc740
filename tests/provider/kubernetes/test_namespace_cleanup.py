import threading

import pytest

from provider.errors import ProviderError
from provider.kubernetes import namespace_cleanup as module
from provider.kubernetes.namespace_cleanup import (
    Inputs,
    NamespaceCleanup,
    Outputs,
    conditions,
    resource_names,
    stuck_message,
)
from provider.operation import Operation
from provider.progress import Progress
from provider.resource import State
from tests.provider.kubernetes.objects import pod

INPUTS = Inputs(kubeconfig="", namespace="tf", timeout_s=60, is_cluster_owned=False, is_kept=False)
LEFT = {
    "status": {
        "conditions": [
            {
                "type": "NamespaceDeletionDiscoveryFailure",
                "status": "False",
                "message": "All resources discovered",
            },
            {
                "type": "NamespaceContentRemaining",
                "status": "True",
                "message": "Some resources are remaining: configmaps. has 2 resource instances, "
                "jobs.batch has 1 resource instances",
            },
            {
                "type": "NamespaceFinalizersRemaining",
                "status": "True",
                "message": "Some content in the namespace has finalizers remaining: example.com/stuck in 2 "
                "resource instances",
            },
        ]
    }
}


def test_only_what_holds_is_told():
    assert len(conditions(LEFT)) == 2


def test_the_kinds_that_are_left_are_read_from_kubernetes_own_words():
    assert resource_names(conditions(LEFT)) == [("configmaps", ""), ("jobs", "batch")]


def test_the_message_lists_each_object_and_the_command_that_frees_it():
    text = stuck_message(INPUTS, conditions(LEFT), ["ConfigMap stuck (finalisers: example.com/stuck)"])
    assert "Namespace tf is still there after 60 s" in text
    assert "\n  - ConfigMap stuck (finalisers: example.com/stuck)" in text
    assert "kubectl patch --namespace tf KIND NAME" in text


def test_an_api_without_a_backend_is_told_as_such():
    failure = "Discovery failed for some groups, 1 failing: unable to retrieve metrics.k8s.io/v1beta1"
    assert f"an API without a backend: {failure}" in stuck_message(INPUTS, [failure], [])


class Methods:
    """Stands for `core`: a method is its name."""

    def __getattr__(self, name):
        return name


class FakeCluster:
    """A namespace with pods that are fewer at each look; deleting is not among what it understands."""

    core = Methods()

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def items(self, method, namespace):
        assert (method, namespace) == ("list_namespaced_pod", "tf")
        number = self.numbers.pop(0) if len(self.numbers) > 1 else self.numbers[0]
        return [pod(f"worker-{index}") for index in range(number)]


def delete_kept(monkeypatch, cluster, timeout_s):
    monkeypatch.setattr(module, "Api", lambda kubeconfig: cluster)
    monkeypatch.setattr(module, "LOOK_PERIOD_S", 0.01)
    urn = "urn:pulumi:test::tfcluster::tfcluster:index:NamespaceCleanup::cleanup"
    progress = Progress(lambda *args, **options: None, urn)
    inputs = Inputs(kubeconfig="", namespace="tf", timeout_s=timeout_s, is_cluster_owned=False, is_kept=True)
    operation = Operation(urn=urn, progress=progress, cancelled=threading.Event())
    NamespaceCleanup().delete(operation, State("tf", inputs, Outputs()))


def test_a_kept_namespace_stays_and_its_pods_are_gone_when_the_cleanup_is_done(monkeypatch):
    cluster = FakeCluster(2, 1, 0)
    delete_kept(monkeypatch, cluster, timeout_s=10)
    assert cluster.numbers == [0]


def test_pods_that_do_not_leave_a_kept_namespace_are_named(monkeypatch):
    with pytest.raises(ProviderError, match="worker-0 waits for a node"):
        delete_kept(monkeypatch, FakeCluster(1), timeout_s=0)
