"""The `kubernetes` stack on a real cluster: three nodes, the product's images, real engine and provider."""

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.end_to_end.conftest import Clone
from tests.engine import Ended
from tests.kubecluster import cluster as test_cluster
from tests.kubecluster.guard import guarded
from tests.kubecluster.leftovers import leftovers
from tests.kubecluster.nodes import Node
from tests.kubecluster.places import CONTEXT, KUBECONFIG, PROGRAMS, ClusterError
from tests.kubecluster.processes import kubectl
from tests.kubecluster.product_images import product_images
from tests.kubecluster.programs import build, check_machine

NAMESPACE = "tfcluster"

FAILURES: list[tuple[str, str, float]] = []
"""What was provoked, what `up` said of it, and after how many seconds; shown at the end of the session."""

NODES = [
    Node(name="home", index=0, cpu_millicores=2000, memory_mib=6144, labels={"pool": "home"}),
    Node(
        name="work-1",
        index=1,
        cpu_millicores=1500,
        memory_mib=4096,
        labels={"pool": "work"},
        taints=[{"key": "work", "value": "tensorflow", "effect": "NoSchedule"}],
    ),
    Node(
        name="work-2",
        index=2,
        cpu_millicores=1500,
        memory_mib=4096,
        labels={"pool": "work"},
        taints=[{"key": "work", "value": "tensorflow", "effect": "NoSchedule"}],
    ),
]

SETTINGS: dict[str, object] = {
    "context": CONTEXT,
    "kubeconfig": str(KUBECONFIG),
    "namespace": NAMESPACE,
    "workers": 2,
    "steps": 40,
    "measureSpeedup": False,
    "interfaceNodeSelector": "pool=home",
    "masterNodeSelector": "pool=home",
    "workerNodeSelector": "pool=work",
    "tolerations": "work=tensorflow:NoSchedule",
    "interfaceCpuMillicores": 600,
    "masterCpuMillicores": 300,
    "trainingCpuMillicores": 700,
    "workerCpuMillicores": 400,
}


class Stack(Clone):
    """A copy of the checkout with the `kubernetes` stack set up for the test cluster."""

    def __init__(self, folder: Any) -> None:
        super().__init__(folder, stack="kubernetes")
        self.environment["PATH"] = f"{self.environment['PATH']}{os.pathsep}{PROGRAMS}"

    def run(self, *arguments: str) -> Ended:
        """Run one command to its end; pytest shows what it printed when a test fails."""
        ended = super().run(*arguments)
        if arguments[0] in ("up", "refresh", "destroy"):
            print(f"$ pulumi {' '.join(arguments)}\n{ended.text}")  # noqa: T201 -- captured
        return ended

    @property
    def status(self) -> str:
        """What became of the run."""
        return self.outputs()["status"]


class ClusterView:
    """What a test looks at and does in the cluster behind the stack's back."""

    def objects(self, kind: str, namespace: str = NAMESPACE, selector: str = "") -> list[dict[str, Any]]:
        """Objects of a kind; none where the namespace does not exist."""
        found = kubectl("get", kind, "--namespace", namespace, "--selector", selector, "--output", "json")
        return json.loads(found)["items"]

    def pods(self, role: str) -> dict[str, dict[str, Any]]:
        """Pods of a role by name."""
        return {pod["metadata"]["name"]: pod for pod in self.objects("pods", selector=f"app={role}")}

    def run(self, *arguments: str) -> str:
        """Run kubectl in the stack's namespace."""
        return kubectl("--namespace", NAMESPACE, *arguments)

    def has_namespace(self) -> bool:
        """Whether the stack's namespace exists."""
        return bool(kubectl("get", "namespace", NAMESPACE, "--ignore-not-found", "--output", "name"))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build what the cluster needs before any test's time counts: the first time that takes minutes."""
    is_wanted = any(item.get_closest_marker("kubernetes") for item in session.items)
    if not is_wanted or session.config.option.collectonly:
        return
    session.config.get_terminal_writer().line("builds the test cluster's programs and images, unless cached")
    try:
        check_machine()
        with ThreadPoolExecutor() as pool:
            # One waits for the network while the other computes.
            for building in (pool.submit(build), pool.submit(product_images)):
                building.result()
    except ClusterError as error:
        pytest.exit(str(error), returncode=1)


@pytest.fixture(scope="session")
def cluster() -> Iterator[ClusterView]:
    """The test cluster, up for the whole session and gone after it, however that ends."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # fixtures end as after Ctrl-C
    with guarded():
        test_cluster.up(NODES, list(product_images().values()))
        yield ClusterView()
    assert not leftovers()


@pytest.fixture(scope="session")
def settings(cluster: ClusterView) -> dict[str, object]:
    """Settings of a stack that fits the test cluster."""
    images = product_images()
    return {
        **SETTINGS,
        "serverImage": images["server"].reference,
        "interfaceImage": images["interface"].reference,
    }


@pytest.fixture(scope="module")
def stack(
    cluster: ClusterView, settings: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """One stack for the tests of a module, which follow each other as a user's commands do."""
    made = Stack(tmp_path_factory.mktemp("stack"))
    made.configure(**settings)
    yield made
    made.destroy()
    made.end()
    if cluster.has_namespace():
        kubectl("delete", "namespace", NAMESPACE, "--timeout=120s")


@pytest.fixture(scope="session")
def failure_table() -> list[tuple[str, str, float]]:
    """Takes a line for each failure that was provoked."""
    return FAILURES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what users get to read, and how soon."""
    for what, sentence, seconds in FAILURES:
        terminalreporter.write_line(f"{what}: {seconds:.0f} s: {sentence}")
