"""The real Pulumi engine on a project in a temporary folder, with the double's plug-ins on PATH."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.gcp_double.cloud import Cloud
from tests.gcp_double.plugins import install


@dataclass(frozen=True)
class Finished:
    """What a command of the engine did."""

    code: int
    output: str


class Engine:
    """One stack of one project, on a file back end of its own."""

    def __init__(self, folder: Path, project: Path, stack: str, **environment: str) -> None:
        self.project = project
        self.stack = stack
        self.cloud = Cloud(folder / "cloud.json")
        backend = folder / "backend"
        backend.mkdir(exist_ok=True)
        plugins = folder / "plugins"
        double = install(plugins, self.cloud.path)
        search = [str(plugins), str(Path(sys.executable).parent), os.environ["PATH"]]
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join(search),
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{backend}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            **double,
            **environment,
        }

    def run(self, *arguments: str, timeout_s: float = 120, **environment: str) -> Finished:
        """Run one command of the engine on the stack and wait for it."""
        done = subprocess.run(
            ["pulumi", "--non-interactive", *arguments, "--stack", self.stack],
            cwd=self.project,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return Finished(done.returncode, done.stdout)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one command of the engine on the stack, in a process group of its own."""
        return subprocess.Popen(
            ["pulumi", "--non-interactive", *arguments, "--stack", self.stack],
            cwd=self.project,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def up(self, **environment: str) -> Finished:
        """Run `pulumi up` without a preview."""
        return self.run("up", "--yes", "--skip-preview", **environment)

    def destroy(self, **environment: str) -> Finished:
        """Run `pulumi destroy` without a preview."""
        return self.run("destroy", "--yes", "--skip-preview", **environment)

    def resources(self) -> dict[str, dict[str, Any]]:
        """The resources in the stack's state, by ``type name``."""
        exported = json.loads(self.run("stack", "export").output)
        resources = exported["deployment"].get("resources", [])
        return {f"{one['type']} {one['urn'].rpartition('::')[2]}": one for one in resources}

    def events(self, clear: bool = False) -> list[str]:
        """What the double's cloud was asked to do, in order."""
        with self.cloud.open() as state:
            events = list(state.events)
            if clear:
                state.events.clear()
        return events
