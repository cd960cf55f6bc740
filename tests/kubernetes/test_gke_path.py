"""The whole GKE path: Google is simulated, the cluster that it hands out is the real test cluster.

What Google makes and takes away is the double's; every pod, the training and the way to it are real. The
double of Kubernetes that the other GKE suites use is not in play.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.gcp_double.cloud import Cloud
from tests.gcp_double.rest import serving
from tests.gke.conftest import GkeStack
from tests.kubecluster.places import KUBECONFIG, KUBECTL, PROGRAMS
from tests.kubecluster.processes import kubectl

pytestmark = pytest.mark.kubernetes

NODE_LABELS = {
    "home": ["app-if=true", "app-master=true"],
    "work-1": ["app-worker=true"],
    "work-2": ["app-worker=true"],
}


@contextmanager
def api_server_without_credentials() -> Iterator[str]:
    """The API server at a loopback address that asks for no certificate, as GKE's endpoint asks for none."""
    command = [KUBECTL, "--kubeconfig", KUBECONFIG, "proxy", "--port=0", "--reject-paths=^$"]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        address = process.stdout.readline().strip().removeprefix("Starting to serve on ")
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@pytest.fixture
def nodes_as_planned(cluster):
    """Nodes with the labels that GKE's pools would give them."""
    for node, labels in NODE_LABELS.items():
        kubectl("label", "node", node, *labels)
    kubectl("taint", "nodes", "work-1", "work-2", "work-")
    yield
    for node, labels in NODE_LABELS.items():
        kubectl("label", "node", node, *(f"{label.partition('=')[0]}-" for label in labels))
    for node in ("work-1", "work-2"):
        kubectl("taint", "node", node, "work=tensorflow:NoSchedule")


@pytest.fixture
def gke(tmp_path, settings, nodes_as_planned):
    """A `gke-free` stack whose cluster is the test cluster."""
    cloud = Cloud(tmp_path / "cloud.json")
    with serving(cloud) as server, api_server_without_credentials() as address:
        made = GkeStack(tmp_path, "gke-free", cloud, server, doubles=["gcp"])
        made.environment["PATH"] = f"{made.environment['PATH']}{os.pathsep}{PROGRAMS}"
        with cloud.open() as state:
            state.cluster_endpoint = address
        made.configure(
            imageBuilder="prebuilt",
            serverImage=settings["serverImage"],
            interfaceImage=settings["interfaceImage"],
            workers=2,
            workerCpuMillicores=500,
            steps=40,
            measureSpeedup=False,
        )
        yield made
        made.destroy()
        made.end()


def test_gke_free_leads_from_nothing_to_trained_and_back_to_nothing(gke, cluster):
    up = gke.up().checked()
    outputs = gke.outputs()
    assert outputs["status"] == "succeeded", up.text
    assert outputs["workers"] == 2
    assert outputs["test_accuracy"] > 0.6  # chance is 0.1
    assert {pod["spec"]["nodeName"] for pod in cluster.pods("worker").values()} == {"work-1", "work-2"}
    gke.run("up", "--yes", "--skip-preview", "--expect-no-changes").checked()
    gke.destroy().checked()
    assert not cluster.has_namespace()
    assert not gke.cloud.read().use, "nothing that counts against a quota is left"
