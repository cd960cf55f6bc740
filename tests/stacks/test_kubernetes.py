"""The whole program on the `kubernetes` target, with a fake engine."""

import runpy
from pathlib import Path

import pulumi
import pytest
import yaml

from stacks import kubernetes
from stacks.settings import SettingsError, parse
from stacks.stack_file import default_values
from tests.components.mocks import Recorder, declared

PROJECT = Path(__file__).resolve().parents[2]
DIGEST = f"sha256:{'a' * 64}"

TWO_CLUSTERS = {
    "contexts": [
        {"name": "one", "context": {"cluster": "c1", "user": "u1"}},
        {"name": "two", "context": {"cluster": "c2", "user": "u2"}},
    ],
    "clusters": [
        {"name": "c1", "cluster": {"server": "https://one.example.com"}},
        {"name": "c2", "cluster": {"server": "https://two.example.com"}},
    ],
    "users": [{"name": "u1", "user": {"token": "t1"}}, {"name": "u2", "user": {"token": "t2"}}],
    "current-context": "two",
}


@pytest.fixture
def values(tmp_path):
    """Settings of a complete stack, as text."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(TWO_CLUSTERS))
    return default_values(PROJECT) | {
        "target": "kubernetes",
        "kubeconfig": str(kubeconfig),
        "context": "one",
        "serverImage": f"example.com/server@{DIGEST}",
        "interfaceImage": f"example.com/interface@{DIGEST}",
    }


def recorder():
    computed = {
        "tfcluster:index:RandomToken": {"value": "token"},
        "tfcluster:index:ClusterIdentity": {"server": "https://one.example.com"},
    }
    return Recorder(computed=computed)


def declare(values, **changes):
    settings = parse(values | changes, "the test")
    return declared(lambda: kubernetes.declare(settings), recorder())


def test_the_program_declares_just_these_resources(values):
    def run_program():
        pulumi.runtime.set_all_config({f"tfcluster:{key}": value for key, value in values.items()})
        runpy.run_path(str(PROJECT / "__main__.py"))

    assert declared(run_program, recorder()).inventory() == [
        ("kubernetes:apps/v1:Deployment", "interface-pod"),
        ("kubernetes:apps/v1:StatefulSet", "master-servers"),
        ("kubernetes:apps/v1:StatefulSet", "worker-servers"),
        ("kubernetes:core/v1:Namespace", "namespace-object"),
        ("kubernetes:core/v1:PersistentVolumeClaim", "runs-claim"),
        ("kubernetes:core/v1:ResourceQuota", "namespace-quota"),
        ("kubernetes:core/v1:Secret", "interface-secret"),
        ("kubernetes:core/v1:Service", "interface-service"),
        ("kubernetes:core/v1:Service", "master-service"),
        ("kubernetes:core/v1:Service", "worker-service"),
        ("kubernetes:networking.k8s.io/v1:NetworkPolicy", "namespace-grpc"),
        ("kubernetes:networking.k8s.io/v1:NetworkPolicy", "namespace-interface"),
        ("kubernetes:networking.k8s.io/v1:NetworkPolicy", "namespace-nothing"),
        ("kubernetes:networking.k8s.io/v1:NetworkPolicy", "namespace-own-traffic"),
        ("kubernetes:policy/v1:PodDisruptionBudget", "master-disruption"),
        ("kubernetes:policy/v1:PodDisruptionBudget", "worker-disruption"),
        ("pulumi:providers:kubernetes", "cluster-provider"),
        ("tfcluster:index:Cluster", "cluster"),
        ("tfcluster:index:ClusterIdentity", "cluster-identity"),
        ("tfcluster:index:Interface", "interface"),
        ("tfcluster:index:KubernetesRun", "training-run"),
        ("tfcluster:index:Namespace", "namespace"),
        ("tfcluster:index:NamespaceCleanup", "namespace-cleanup"),
        ("tfcluster:index:RandomToken", "interface-token"),
        ("tfcluster:index:Readiness", "readiness"),
        ("tfcluster:index:Servers", "master"),
        ("tfcluster:index:Servers", "worker"),
        ("tfcluster:index:Storage", "runs"),
        ("tfcluster:index:TrainingRun", "training"),
        ("tfcluster:index:WorkloadsReady", "readiness-pods"),
    ]


def test_every_kubernetes_object_goes_through_the_stacks_own_provider(values):
    objects = [resource for resource in declare(values).resources if resource.typ.startswith("kubernetes:")]
    assert objects
    assert all("cluster-provider" in (resource.provider or "") for resource in objects)


def test_what_a_hand_changed_in_any_object_is_set_back_instead_of_ending_in_a_conflict(values):
    objects = [resource for resource in declare(values).resources if resource.typ.startswith("kubernetes:")]
    forced = {
        r.name for r in objects if r.inputs["metadata"]["annotations"].get("pulumi.com/patchForce") == "true"
    }
    assert forced == {resource.name for resource in objects}


def test_only_the_named_context_and_what_belongs_to_it_leave_the_file(values):
    text = kubernetes.read_kubeconfig(values["kubeconfig"], "one")
    kept = yaml.safe_load(text)
    assert kept["current-context"] == "one"
    assert kept["clusters"] == [TWO_CLUSTERS["clusters"][0]]
    assert "t2" not in text


def test_commands_for_people_reach_the_stacks_own_cluster_whatever_the_ambient_one_is(values):
    (run,) = (r for r in declare(values).resources if r.typ == "tfcluster:index:KubernetesRun")
    assert run.inputs["kubectl"] == f"kubectl --kubeconfig {values['kubeconfig']} --context one"


def test_an_unknown_context_is_refused_with_the_known_ones(values):
    with pytest.raises(SettingsError, match=r"context=three is not in .*, which has one, two"):
        declare(values, context="three")


def test_a_missing_kubeconfig_is_refused_with_its_name(values):
    with pytest.raises(SettingsError, match="kubeconfig=nowhere is no kubeconfig"):
        declare(values, kubeconfig="nowhere")


def test_a_new_stack_is_told_everything_it_lacks_at_once(values):
    empty = dict.fromkeys(("kubeconfig", "context", "serverImage", "interfaceImage"), "")
    with pytest.raises(SettingsError) as caught:
        declare(values, **empty)
    for key in empty:
        assert f"Run `pulumi config set {key} <value>`" in str(caught.value)


def test_an_image_by_tag_is_refused(values):
    with pytest.raises(SettingsError, match=r"serverImage=example\.com/server:1 names no digest"):
        declare(values, serverImage="example.com/server:1")


@pytest.mark.parametrize("workers", [1, 4])
def test_another_number_of_workers_changes_replicas_quota_and_waiting_alone(values, workers):
    def inputs(made):
        return {(resource.typ, resource.name): resource.inputs for resource in made.resources}

    before, after = inputs(declare(values, workers="2")), inputs(declare(values, workers=str(workers)))
    changed = {name for (kind, name), found in after.items() if before[kind, name] != found}
    assert changed == {"worker-servers", "namespace-quota", "readiness-pods", "training-run"}
    before_set, after_set = (
        dict(made["kubernetes:apps/v1:StatefulSet", "worker-servers"]["spec"]) for made in (before, after)
    )
    assert (before_set.pop("replicas"), after_set.pop("replicas")) == (2, workers)
    assert before_set == after_set


@pytest.mark.parametrize(
    ("key", "kind", "name"),
    [
        ("interfaceCpuMillicores", "kubernetes:apps/v1:Deployment", "interface-pod"),
        ("interfaceMemoryMib", "kubernetes:apps/v1:Deployment", "interface-pod"),
        ("masterCpuMillicores", "kubernetes:apps/v1:StatefulSet", "master-servers"),
        ("masterMemoryMib", "kubernetes:apps/v1:StatefulSet", "master-servers"),
        ("workerCpuMillicores", "kubernetes:apps/v1:StatefulSet", "worker-servers"),
        ("workerMemoryMib", "kubernetes:apps/v1:StatefulSet", "worker-servers"),
        ("trainingCpuMillicores", "tfcluster:index:KubernetesRun", "training-run"),
        ("trainingMemoryMib", "tfcluster:index:KubernetesRun", "training-run"),
    ],
)
def test_every_size_reaches_its_pod(values, key, kind, name):
    def found(made):
        (resource,) = (one for one in made.resources if (one.typ, one.name) == (kind, name))
        return resource.inputs

    assert found(declare(values, **{key: "777"})) != found(declare(values))
