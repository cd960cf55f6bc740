"""What goes wrong in a cluster, provoked in a real one: `up` says it in a sentence with the fix, and soon.

Each test leaves a stack that has failed; the last one shows that the next `up` with the right settings
succeeds.
"""

import json
import time
from datetime import UTC, datetime

import pytest

from provider.kubernetes.client import Api
from provider.kubernetes.diagnosis import findings
from provider.kubernetes.observation import take_snapshot
from tests.kubecluster import cluster as test_cluster
from tests.kubecluster.image_store import program_image
from tests.kubecluster.places import KUBECONFIG
from tests.kubecluster.processes import kubectl, wait_for
from tests.kubecluster.registry import ARM64_ONLY, MISSING, PRIVATE, registry
from tests.kubernetes.conftest import NODES

pytestmark = pytest.mark.kubernetes

PROVOKED = [
    pytest.param({"workerCpuMillicores": 9000}, "for 9000m CPU", "Lower workerCpuMillicores to", id="cpu"),
    pytest.param({"workerMemoryMib": 90000}, "MiB memory free", "Lower workerMemoryMib to", id="memory"),
    pytest.param({"workerNodeSelector": "pool=gpu"}, "no label pool=gpu", "kubectl label node", id="label"),
    pytest.param({"tolerations": ""}, "taint work=tensorflow:NoSchedule", "to tolerations", id="taint"),
    pytest.param({"serverImage": MISSING}, "does not exist", "Correct serverImage", id="no image"),
    pytest.param({"serverImage": PRIVATE}, "may not pull", "correct serverImage", id="private image"),
    pytest.param(
        {"serverImage": ARM64_ONLY}, "another processor", "--platform linux/amd64", id="architecture"
    ),
    pytest.param(
        {"workerMemoryMib": 64}, "ran out of memory at its limit of 64Mi", "Raise workerMemoryMib", id="oom"
    ),
]


@pytest.fixture(autouse=True, scope="module")
def refusing_registry(cluster):
    """The registry is there while the stack is."""
    with registry():
        yield


@pytest.fixture
def refused(stack, settings, failure_table):
    """Run `up` with some settings changed and set them back; it must fail and say certain things."""

    def set_back(changes):
        for key in changes:
            if key in settings:
                stack.configure(**{key: settings[key]})
            else:
                stack.run("config", "rm", key).checked()

    def run(said, fix, what, *, changes=None, flags=()):
        stack.configure(**(changes or {}))
        begun = time.monotonic()
        up = stack.start("up", "--yes", "--skip-preview", *flags)
        try:
            sentence = up.wait_for(said).strip(" -\n")
            seconds = time.monotonic() - begun
        finally:
            ended = up.wait()
            set_back(changes or {})
        assert ended.code != 0, ended.text
        assert fix in ended.text
        assert "Traceback" not in ended.text
        failure_table.append((what, sentence, seconds))

    return run


@pytest.mark.parametrize(("changes", "said", "fix"), PROVOKED)
def test_a_fault_of_the_settings_is_told_long_before_the_deadline(refused, request, changes, said, fix):
    refused(said, fix, request.node.callspec.id, changes=changes)


def test_a_program_that_ends_again_and_again_is_told_with_its_last_line(refused):
    image = program_image("coredns").reference  # takes no such arguments
    refused("its last line is:", "--previous", "crash loop", changes={"serverImage": image})


def test_a_quota_that_refuses_a_pod_is_told_with_its_arithmetic(refused, cluster):
    cluster.run("create", "quota", "tight", "--hard=pods=2")
    try:
        refused("the quota tight", "raise the quota", "quota", changes={"workers": 3})
    finally:
        cluster.run("delete", "quota", "tight")


def test_a_lost_node_is_named_with_the_pods_on_it(stack, refused, cluster):
    stack.up().checked()
    test_cluster.kill_node("work-2")
    try:
        kubectl("wait", "--for=condition=Ready=Unknown", "node/work-2", "--timeout=90s")
        refused("is on the node work-2, which does not report", "--force", "node lost", flags=["--refresh"])
    finally:
        test_cluster.start_node(NODES[2])
        kubectl("wait", "--for=condition=Ready", "node/work-2", "--timeout=90s")


def test_a_missing_peer_is_named_with_the_state_of_its_pod(stack, refused, cluster):
    stack.configure(clusterWaitSeconds=60)
    stack.up().checked()
    cluster.run("scale", "statefulset/worker", "--replicas=1")
    cluster.run("wait", "--for=delete", "pod/worker-1", "--timeout=60s")
    changes = {"runId": "missing-peer"}
    refused("worker-1 does not exist", "worker-1: there is no such pod", "missing peer", changes=changes)


def test_a_workload_that_somebody_set_to_fewer_pods_is_told_as_such(stack, refused):
    said = "worker has been set to 1 of 2 pods"
    stack.configure(clusterWaitSeconds=61)  # anything that makes `up` wait for the pods again
    refused(said, "`pulumi up --refresh` sets it back", "scaled by hand")


def test_the_next_up_with_the_right_settings_succeeds(stack, cluster):
    """It does what the messages about the missing peer say."""
    stack.configure(runId="fixed")
    stack.run("up", "--yes", "--skip-preview", "--refresh").checked()
    assert stack.status == "succeeded"
    assert len(cluster.pods("worker")) == 2
    assert not [pod for pod in cluster.objects("pods") if pod["status"]["phase"] == "Failed"]


def test_a_volume_that_cannot_bind_is_told_with_the_setting(stack, refused, settings):
    stack.destroy().checked()
    refused("gets no volume", "Set runsStorageClass", "volume", changes={"runsStorageClass": "nosuch"})


def test_pod_security_that_refuses_a_pod_is_told_with_what_it_forbids(cluster):
    """The stack's own pods are never refused; a hand that changes them is."""
    kubectl("create", "namespace", "strict")
    kubectl("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
    try:
        said = _findings_of_a_root_pod("strict")
    finally:
        kubectl("delete", "namespace", "strict", "--timeout=60s")
    assert "may not start a pod: the pod security level restricted" in said
    assert "runAsNonRoot" in said


def _findings_of_a_root_pod(namespace):
    labels = {"app": "worker", "app.kubernetes.io/part-of": "tfcluster"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "server", "image": "x"}]}}
    spec = {"replicas": 1, "serviceName": "worker", "selector": {"matchLabels": labels}, "template": pod}
    workload = {
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "worker"}, "spec": spec,
    }  # fmt: skip
    api, begun = Api(KUBECONFIG.read_text()), datetime.now(UTC)
    kubectl("--namespace", namespace, "apply", "--filename", "-", input=json.dumps(workload))
    found = wait_for("the refusal", lambda: findings(take_snapshot(api, namespace, begun, {})), timeout_s=20)
    return found[0].sentence
