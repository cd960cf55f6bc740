"""The tasks of the scale model: processes forked from one import of TensorFlow, each in a control group."""

from __future__ import annotations

import functools
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.cpu_groups import CpuGroup, new_group
from training.members import Server
from training.probes import probe_all
from training.processes import open_log
from training.server import run_server
from training.session import Failed, free_port
from training.session_process import SessionProcess

_NUMBERS = itertools.count()
_PATIENCE_S = 600.0


class TaskError(RuntimeError):
    """A task of the scale model failed; the message names the task and its log."""


@dataclass
class Task:
    """One process, what it is held to, and where it prints."""

    name: str
    process: SessionProcess
    group: CpuGroup
    log: Path

    def ask(self, order: Any) -> Any:
        """Send an order and wait for its answer.

        Raises:
            TaskError: The process has ended or doesn't answer.
        """
        self.process.send(order)
        return self.answer()

    def answer(self) -> Any:
        """Wait for the answer to an order sent before; raises as ``ask`` does."""
        found = self.process.receive(_PATIENCE_S)
        if found is None or isinstance(found, Failed):
            said = found.message if found else f"no answer within {_PATIENCE_S:.0f} s"
            raise TaskError(f"{self.name} failed: {said}. What it printed is in {self.log}")
        return found

    def close(self) -> None:
        """End the process and remove its group."""
        self.process.kill()
        self.group.remove()


@dataclass
class Tasks:
    """All tasks that run at the moment."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tfcluster-bench-")))
    running: list[Task] = field(default_factory=list[Task])

    def start(self, name: str, body: Callable[[Connection], int]) -> Task:
        """Fork a task in a control group of its own, not held to anything yet."""
        group = new_group(f"tfcluster-bench-{os.getpid()}-{next(_NUMBERS)}")
        log = self.folder / f"{name}.log"
        descriptor = open_log(log)
        try:
            process = SessionProcess(body, f"tfcluster bench {name}", descriptor)
        finally:
            os.close(descriptor)
        group.add(process.pid)
        task = Task(name, process, group, log)
        self.running.append(task)
        return task

    def start_server(self, name: str) -> tuple[Task, Server]:
        """Start one TensorFlow server on the loopback address."""
        port = free_port()
        task = self.start(name, functools.partial(_serve, port, name))
        return task, Server(name, f"127.0.0.1:{port}")

    def close(self, tasks: list[Task]) -> None:
        """End some of them."""
        for task in tasks:
            self.running.remove(task)
            task.close()

    def close_all(self) -> None:
        """End all of them."""
        self.close(list(self.running))


def limit(tasks: list[Task], cores: float | None) -> None:
    """Hold each of the tasks to ``cores``, or let them go with None."""
    for task in tasks:
        task.group.limit(cores)


def cpu_s(tasks: list[Task]) -> float:
    """Return the CPU seconds that the tasks have used together."""
    return sum(task.group.usage_s() for task in tasks)


def wait_for_ports(servers: list[Server]) -> None:
    """Wait until all servers answer.

    Raises:
        TaskError: One of them doesn't within a minute.
    """
    deadline = time.monotonic() + 60
    while True:
        answers = probe_all([server.address for server in servers], timeout_s=2)
        failures = [f"{address}: {failure}" for address, failure in answers.items() if failure]
        if not failures:
            return
        if time.monotonic() > deadline:
            raise TaskError("servers don't answer: " + "; ".join(failures))
        time.sleep(0.1)


def _serve(port: int, name: str, _connection: Connection) -> int:
    return run_server(port, "127.0.0.1", name)
