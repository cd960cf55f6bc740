"""How a stack ends when its cluster is away, gone or another one, or when something in it does not let go."""

import json

import pytest

from provider.unreachable import DELETE_UNREACHABLE
from tests.kubecluster.control_plane import start_control_plane
from tests.kubecluster.processes import kubectl, stop, wait_for
from tests.kubernetes.conftest import NAMESPACE

pytestmark = pytest.mark.kubernetes

HELD = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "held", "namespace": NAMESPACE, "finalizers": ["example.com/never-done"]},
}


@pytest.fixture
def api_server_away(cluster):
    """No API server while the test runs."""
    stop("kube-apiserver")
    yield
    start_control_plane()


@pytest.fixture(scope="module")
def trained(stack):
    """The stack, up and trained."""
    stack.up().checked()
    return stack


def test_another_cluster_behind_the_kubeconfig_is_refused_before_anything_changes(trained, tmp_path, cluster):
    """Two stacks of state differ in one uid here, as two clusters would."""
    exported = trained.run("stack", "export").checked().text
    uid = kubectl("get", "namespace", "kube-system", "--output", "jsonpath={.metadata.uid}")
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(exported.replace(uid, "00000000-0000-0000-0000-000000000000"))
    original = tmp_path / "original.json"
    original.write_text(exported)
    trained.run("stack", "import", "--file", str(elsewhere)).checked()
    try:
        refused = trained.run("preview")
    finally:
        trained.run("stack", "import", "--file", str(original)).checked()
    assert refused.code != 0
    assert "The kubeconfig leads to another cluster" in refused.text
    assert "nothing was changed" in refused.text


def test_an_api_server_that_comes_back_costs_up_nothing_but_time(trained, cluster):
    stop("kube-apiserver")
    trained.configure(clusterWaitSeconds=60, runId="patience")
    up = trained.start("up", "--yes", "--skip-preview")
    try:
        up.wait_for("waiting for the cluster's API server")
    finally:
        start_control_plane()
    up.wait().checked()
    assert trained.status == "succeeded"


def test_an_api_server_that_stays_away_is_told_and_nothing_is_forgotten(trained, api_server_away):
    before = trained.resources().keys()
    trained.configure(clusterWaitSeconds=5)
    refused = trained.run("up", "--yes", "--skip-preview")
    trained.configure(clusterWaitSeconds=60)
    assert refused.code != 0
    assert "cannot be reached: connection refused" in refused.text
    assert trained.resources().keys() == before


def test_destroy_tells_an_unreachable_cluster_from_one_that_is_gone(trained, api_server_away):
    before = trained.resources().keys()
    refused = trained.destroy()
    assert refused.code != 0
    assert "run the same command again" in refused.text
    assert f"`{DELETE_UNREACHABLE}=true pulumi destroy`" in refused.text
    assert trained.resources().keys() == before


def test_a_volume_that_is_kept_from_now_on_is_found_again_by_the_next_up(trained, cluster):
    (before,) = cluster.objects("persistentvolumeclaims")
    trained.configure(keepRunsVolume=True)
    trained.up().checked()
    trained.destroy().checked()
    (kept,) = cluster.objects("persistentvolumeclaims")
    assert kept["metadata"]["uid"] == before["metadata"]["uid"]
    assert not cluster.objects("pods")
    trained.up().checked()
    (found,) = cluster.objects("persistentvolumeclaims")
    assert found["metadata"]["uid"] == before["metadata"]["uid"]


def test_a_finaliser_that_nobody_serves_is_listed_by_object(trained, cluster):
    kubectl("apply", "--filename", "-", input=json.dumps(HELD))
    try:
        trained.configure(clusterWaitSeconds=30, keepRunsVolume=False)
        trained.up().checked()
        refused = trained.destroy()
    finally:
        patch = '{"metadata":{"finalizers":null}}'
        cluster.run("patch", "configmap", "held", "--type=merge", "--patch", patch)
    assert refused.code != 0
    assert "ConfigMap held (finalisers: example.com/never-done)" in refused.text
    wait_for("the namespace to go", lambda: not cluster.has_namespace(), timeout_s=60)
    trained.destroy().checked()


def test_a_cluster_that_is_gone_for_good_is_forgotten_with_one_command(stack, cluster):
    stack.configure(clusterWaitSeconds=120)
    stack.up().checked()
    stop("kube-apiserver")
    try:
        stack.environment[DELETE_UNREACHABLE] = "true"
        stack.destroy().checked()
    finally:
        del stack.environment[DELETE_UNREACHABLE]
        start_control_plane()
    assert set(stack.resources()) == {f"tfcluster-{stack.stack}"} or not stack.resources()
