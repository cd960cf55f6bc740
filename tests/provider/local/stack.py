"""A stack of the local target's resources, driven through the real engine by a program of the tests."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from provider.local.identity import ProcessIdentity
from tests.engine import CHECKOUT, Engine, Running

LIGHT_PROVIDER = CHECKOUT / "tests" / "provider" / "local" / "light"
PROGRAM = """
    import pulumi

    config = pulumi.Config()
    state_dir = config.require("stateDir")


    class ServerProcesses(pulumi.CustomResource):
        servers: pulumi.Output[list]

        def __init__(self, name, role, count):
            inputs = {"role": role, "count": count, "stateDir": state_dir}
            outputs = {"servers": None, "membersFile": None}
            super().__init__("tfcluster:index:ServerProcesses", name, {**inputs, **outputs})


    OUTPUTS = ("status", "testAccuracy", "steps", "workers", "runDir", "follow")


    class LocalRun(pulumi.CustomResource):
        def __init__(self, name, inputs, opts):
            super().__init__("tfcluster:index:LocalRun", name, {**inputs, **dict.fromkeys(OUTPUTS)}, opts)


    workers = config.require_int("workers")
    servers = [ServerProcesses("master", "master", 1), ServerProcesses("worker", "worker", workers)]
    settings = config.get_object("settings")
    if settings is not None:
        inputs = {
            "settings": {"workers": workers, **settings},
            "codeHash": config.get("codeHash") or "code",
            "runId": config.get("runId") or "",
            "runsDir": config.require("runsDir"),
            "stateDir": state_dir,
            "wait": config.get("wait") != "no",
        }
        run = LocalRun("training", inputs, pulumi.ResourceOptions(depends_on=servers))
        for name in OUTPUTS:
            pulumi.export(name, getattr(run, name))
"""


@dataclass(frozen=True)
class Server:
    """A server as the engine's state tells."""

    name: str
    port: int
    process: ProcessIdentity
    log: Path


class LocalStack:
    """One stack; its files and its part of the machine's ports are in one folder.

    Args:
        engine: A fresh engine.
        folder: For state, runs and the registry of ports.
        provider: The folder that the provider is started from.
    """

    def __init__(self, engine: Engine, folder: Path, provider: Path = LIGHT_PROVIDER) -> None:
        self.engine = engine
        self.state_dir = folder / "stack-state"
        self.runs_dir = folder / "runs"
        self.ports_dir = folder / "user-state"
        engine.environment["XDG_STATE_HOME"] = str(self.ports_dir)
        engine.write(PROGRAM, provider)
        engine.configure(stateDir=str(self.state_dir), runsDir=str(self.runs_dir), workers=2)

    def servers(self, role: str = "worker") -> list[Server]:
        """Return a role's servers."""
        return [
            Server(
                server["name"],
                int(server["address"].rsplit(":", 1)[-1]),
                ProcessIdentity(server["pid"], server["startTime"]),
                Path(server["log"]),
            )
            for server in self.engine.resources()[role]["outputs"]["servers"]
        ]

    def members(self) -> dict:
        """Return what the coordinator is told of the servers."""
        return json.loads((self.state_dir / "members.json").read_text())

    def end(self) -> None:
        """Stop what a failed test left, each by its identity."""
        for record in [*self.state_dir.glob("servers/*.json"), *self.runs_dir.glob("*/run.json")]:
            process = json.loads(record.read_text()).get("process")
            if process and ProcessIdentity(**process).is_alive:
                os.kill(process["pid"], signal.SIGKILL)


def answers(port: int) -> bool:
    """Whether something listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def provider_of(command: Running) -> int:
    """Return the pid of the provider that a running command has started."""
    children = psutil.Process(command.process.pid).children(recursive=True)
    (found,) = [child.pid for child in children if "tests.provider.local.light" in child.cmdline()]
    return found


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for something that other processes bring about; fail the test when it never comes."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")
