"""A real cluster on this machine for tests: servers of the real fork server, runs of the real coordinator."""

import dataclasses
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.run_events import run_events
from tests.training.conftest import ForkServer, free_port
from training.files import write_atomically
from training.result import Result
from training.settings import RunSettings

TINY_TASK = "tests.training.tiny_task"
PATIENCE_S = 120


@dataclasses.dataclass
class Run:
    """One coordinator and what it has told."""

    fork_server: ForkServer
    pid: int
    run_dir: Path

    def exit_code(self) -> int:
        return self.fork_server.exit_code(self.pid)

    def stop(self) -> int:
        """Tell it to stop and return its exit code."""
        os.kill(self.pid, signal.SIGTERM)
        return self.exit_code()

    def log(self) -> str:
        path = self.run_dir / "train.log"
        return path.read_text() if path.exists() else ""

    def events(self, kind: str) -> list[dict[str, Any]]:
        return run_events(self.run_dir, kind)

    def losses(self) -> list[float]:
        """The loss of each step, the last told one where a step was computed again."""
        by_step = {event["step"]: event["loss"] for event in self.events("step")}
        assert list(by_step) == list(range(1, len(by_step) + 1)), "no step may be missing"
        return list(by_step.values())

    def step(self) -> int:
        return max((event["step"] for event in self.events("step")), default=0)

    def result(self) -> Result:
        return Result.read(self.run_dir)

    def wait_until(self, is_true: Callable[[], bool], what: str) -> None:
        for _ in range(PATIENCE_S * 20):
            if is_true():
                return
            assert psutil.pid_exists(self.pid), f"the run has ended before {what}:\n{self.log()}"
            time.sleep(0.05)
        raise AssertionError(f"not {what} within {PATIENCE_S} s:\n{self.log()}")

    def wait_for_log(self, text: str) -> None:
        self.wait_until(lambda: text in self.log(), f"{text!r} is logged")

    def wait_for_step(self, step: int) -> None:
        self.wait_until(lambda: self.step() >= step, f"step {step} is reached")

    def session_pids(self) -> list[int]:
        return [child.pid for child in psutil.Process(self.pid).children()]


class Cluster:
    """Servers, listed in a members file as the provider writes it."""

    def __init__(self, fork_server: ForkServer, folder: Path) -> None:
        self._fork_server, self._folder = fork_server, folder
        self.members_file = folder / "members.json"
        self.pids: dict[str, int] = {}
        self.ports: dict[str, int] = {}
        self._runs = 0

    def start(self, *names: str, is_listed: bool = True) -> None:
        """Start servers, at the port they had before if they had one, and list them."""
        for name in names:
            self._fork(name)
        for name in names:
            # another program of this machine may have taken the port meanwhile
            while not self._listens(name):
                del self.ports[name]
                self._fork(name)
        if is_listed:
            self.list(*self.ports)

    def _fork(self, name: str) -> None:
        port = self.ports.setdefault(name, free_port())
        answer = self._fork_server.ask(
            op="server", name=name, port=port, log=str(self._folder / f"{name}.log")
        )
        self.pids[name] = answer["pid"]

    def _listens(self, name: str) -> bool:
        log = self._folder / f"{name}.log"
        for _ in range(PATIENCE_S * 50):
            if f"listens on 127.0.0.1:{self.ports[name]} (pid {self.pids[name]})" in log.read_text():
                return True
            if self._fork_server.has_ended(self.pids[name]):
                return False
            time.sleep(0.02)
        raise AssertionError(f"{name} doesn't start:\n{log.read_text()}")

    def list(self, *names: str) -> None:
        """Write the members file with just these servers."""
        entries = [{"name": name, "address": f"127.0.0.1:{self.ports[name]}"} for name in names]
        members = {
            "master": [entry for entry in entries if entry["name"] == "master"],
            "worker": [entry for entry in entries if entry["name"] != "master"],
        }
        write_atomically(self.members_file, json.dumps(members).encode())

    def kill(self, name: str) -> None:
        self._fork_server.end(self.pids.pop(name), signal.SIGKILL)

    def freeze(self, name: str) -> None:
        """Stop a server, and return when none of its threads runs any more."""
        self.signal(name, signal.SIGSTOP)
        threads = Path(f"/proc/{self.pids[name]}/task")
        for _ in range(PATIENCE_S * 50):
            if all(") T " in stat.read_text() for stat in threads.glob("*/stat")):
                return
            time.sleep(0.02)
        raise AssertionError(f"{name} doesn't stop")

    def signal(self, name: str, number: int) -> None:
        os.kill(self.pids[name], number)

    def run(self, run_dir: Path | None = None, **settings: Any) -> Run:
        """Start a run of the tiny task, unless told otherwise."""
        self._runs += 1
        run_dir = run_dir or self._folder / f"run{self._runs}"
        run_dir.mkdir(exist_ok=True)
        quick = {"task": TINY_TASK, "batch_size": 100, "measure_speedup": False, "cluster_wait_s": 20.0}
        values = {"members": f"file:{self.members_file}", "learning_rate": 0.01} | quick | settings
        (run_dir / "settings.json").write_text(RunSettings(**values).to_json())
        answer = self._fork_server.ask(
            op="coordinate", run_dir=str(run_dir), log=str(run_dir / "train.log"), stop_with_parent=True
        )
        return Run(self._fork_server, answer["pid"], run_dir)

    def completed_run(self, run_dir: Path | None = None, **settings: Any) -> Run:
        """Do a run to its end: two at once are too many, TensorFlow's server may die of two coordinators."""
        run = self.run(run_dir, **settings)
        assert run.exit_code() == 0, run.log()
        return run

    def assert_none_died(self) -> None:
        """Start servers that ended although no test wanted it, and name them."""
        died = {name: pid for name, pid in self.pids.items() if self._fork_server.has_ended(pid)}
        codes = {name: self._fork_server.exit_code(pid) for name, pid in died.items()}
        for name in died:
            del self.pids[name]
        self.start(*died, is_listed=False)
        assert not codes, f"servers ended by themselves, with these codes: {codes}"

    def close(self) -> None:
        try:
            self.assert_none_died()
        finally:
            for name in list(self.pids):
                self.kill(name)
