"""TensorFlow's environment, real server processes, and a small stand-in for MNIST's files."""

import gzip
import hashlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

from training.environment import import_tensorflow

import_tensorflow()
hypothesis.settings.register_profile("no timed assertions", deadline=None)
hypothesis.settings.load_profile("no timed assertions")

from training import idx  # noqa: E402  # everything of ours comes after TensorFlow's variables are set


class ForkServer:
    """The real fork server, and the end of every process that it started."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "training.fork_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # what has been told is in the pipe, where select sees it
        )
        self._told: list[dict[str, Any]] = []
        self.pids: set[int] = set()

    def ask(self, **command: Any) -> dict[str, Any]:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        answer = self._next(lambda told: "ok" in told)
        if answer["ok"]:
            self.pids.add(answer["pid"])
        return answer

    def exit_code(self, pid: int) -> int:
        """Wait until the child has ended."""
        return self._next(lambda told: told.get("exited") == pid)["code"]

    def has_ended(self, pid: int) -> bool:
        """Whether the child has ended, without waiting."""
        assert self._process.stdout
        while select.select([self._process.stdout], [], [], 0)[0]:
            told = json.loads(self._process.stdout.readline())
            self.pids.discard(told["exited"])
            self._told.append(told)
        return any(told.get("exited") == pid for told in self._told)

    def start_server(self, name: str, port: int, folder: Path) -> int:
        pid = self.ask(op="server", name=name, port=port, log=str(folder / f"{name}.log"))["pid"]
        wait_for_port(port)
        return pid

    def end(self, pid: int, number: int = signal.SIGKILL) -> int:
        os.kill(pid, signal.SIGCONT)
        os.kill(pid, number)
        code = self.exit_code(pid)
        self.pids.discard(pid)
        return code

    def close(self) -> int:
        """End every child that is still there, then the fork server itself."""
        for pid in list(self.pids):
            self.end(pid)
        return self.leave()

    def leave(self) -> int:
        """End the fork server alone."""
        assert self._process.stdin
        self._process.stdin.close()
        code = self._process.wait(10)
        assert self._process.stdout
        self._process.stdout.close()
        return code

    def _next(self, is_wanted) -> dict[str, Any]:
        for told in self._told:
            if is_wanted(told):
                self._told.remove(told)
                return told
        assert self._process.stdout
        while line := self._process.stdout.readline():
            told = json.loads(line)
            if "exited" in told:
                self.pids.discard(told["exited"])
            if is_wanted(told):
                return told
            self._told.append(told)
        raise AssertionError("the fork server has ended")


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    server = ForkServer()
    yield server
    server.close()


_given_ports: set[int] = set()


def free_port() -> int:
    """Return a port that nothing listens on, another one each time."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port not in _given_ports:
            _given_ports.add(port)
            return port


def wait_for_port(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return

        time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port}")


@pytest.fixture
def tiny_mnist(monkeypatch, tmp_path) -> Path:
    """A folder of four small files that pass for MNIST's, checksums included."""
    folder = tmp_path / "originals"
    folder.mkdir()
    generator = np.random.default_rng(0)
    for key, file in dict(idx.FILES).items():
        shape = (12, *file.shape[1:])
        content = idx.header(shape) + generator.integers(0, 10, shape, np.uint8).tobytes()
        (folder / f"{file.name}.gz").write_bytes(gzip.compress(content))
        monkeypatch.setitem(
            idx.FILES, key, idx.IdxFile(file.name, shape, hashlib.sha256(content).hexdigest())
        )
    return folder
