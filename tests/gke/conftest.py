"""Both GKE stacks, whole, through the real engine against a simulated Google."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Clone
from tests.engine import TIMEOUT_S, Ended
from tests.gcp_double.cloud import PROJECT, Cloud
from tests.gcp_double.credentials import write_credentials
from tests.gcp_double.plugins import MODULES, install
from tests.gcp_double.rest import GoogleServer, serving

LIMITS: dict[str, dict[str, float]] = {
    "gke-free": {},
    "gke": {"CPUS": 72, "E2_CPUS": 72, "N2_CPUS": 72, "CPUS_ALL_REGIONS": 72, "SSD_TOTAL_GB": 500},
}
"""What the stacks' projects may use beyond a free trial's."""

MakeStack = Callable[[str], "GkeStack"]


class GkeStack(Clone):
    """A copy of the checkout with a GKE stack, and the cloud that it is deployed to.

    Args:
        folder: An empty folder for everything.
        stack: Name of the stack.
        cloud: The simulated cloud.
        server: Google's APIs for that cloud.
        doubles: Plug-ins that are stood in for; without `kubernetes` the real one works on a real cluster,
        whose
            address (that of a `kubectl proxy`, say) is to be put into the cloud's `cluster_endpoint`.
    """

    def __init__(
        self, folder: Path, stack: str, cloud: Cloud, server: GoogleServer, doubles: Iterable[str] = MODULES
    ) -> None:
        self.cloud, self.server = cloud, server
        plugins = folder / "plugins"
        double = install(plugins, cloud.path, doubles) | write_credentials(folder, server.address)
        super().__init__(folder, stack)
        self.environment |= double
        self.environment["PATH"] = f"{plugins}{os.pathsep}{self.environment['PATH']}"
        with cloud.open() as state:
            state.cluster_endpoint = server.cluster_address
            state.limits |= LIMITS[stack]
        self.configure(project=PROJECT)

    def events(self) -> list[str]:
        """What the cloud was asked to do since the last call, in order."""
        with self.cloud.open() as state:
            events = list(state.events)
            state.events.clear()
        return events

    def tfcluster(self, verb: str) -> Ended:
        """Run a verb of the project's own command on the stack."""
        done = subprocess.run(
            [sys.executable, "-m", "cli", verb, self.stack],
            cwd=self.project,
            env={**self.environment, "PYTHONPATH": str(self.project)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return Ended(done.returncode, done.stdout)

    def peaks(self) -> dict[str, float]:
        """The most that was in use of each quota metric at any moment."""
        return self.cloud.read().peaks


def lines(ended: Ended) -> str:
    """What was printed, without the engine's notice of the double."""
    return "\n".join(line for line in ended.text.splitlines() if "from $PATH" not in line)


@pytest.fixture(scope="module")
def make_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeStack]:
    """Makes stacks, each in a cloud of its own."""
    with ExitStack() as cleanup:

        def make(stack: str) -> GkeStack:
            folder = tmp_path_factory.mktemp(stack)
            cloud = Cloud(folder / "cloud.json")
            server = cleanup.enter_context(serving(cloud))
            made = GkeStack(folder, stack, cloud, server)
            cleanup.callback(made.end)
            return made

        yield make
