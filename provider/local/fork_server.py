"""The provider's end of the training program's fork server.

One for each provider process, shared by all its resources, so that TensorFlow is imported once however many
servers are started. It is started when it is first needed and ends with the provider; what it forked stays.
The other end is ``training/fork_server.py``.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

from provider.errors import InterruptedByUser, ProviderError
from provider.local.environment import process_environment
from provider.operation import Operation

ANSWER_TIMEOUT_S = 180.0
"""How long an answer may take; the first one includes the import of TensorFlow on a slow disk."""

CHECKOUT = Path(__file__).resolve().parent.parent.parent
COMMAND = (sys.executable, "-m", "training.fork_server")

_log = logging.getLogger(__name__)


class ForkServer:
    """Starts servers and coordinators.

    Args:
        command: The program; tests have one of their own.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = command
        self._in_turn = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._listener: threading.Thread | None = None
        self._complaints: IO[str] | None = None
        self._changed = threading.Condition()
        self._answers: list[dict[str, Any]] = []
        self._exit_codes: dict[int, int] = {}

    def start_server(self, operation: Operation, name: str, port: int, log: Path) -> int:
        """Start one server and return its pid; its port opens a moment later."""
        return self._pid_for(operation, {"op": "server", "name": name, "port": port, "log": str(log)})

    def start_coordinator(
        self, operation: Operation, run_dir: Path, log: Path, *, stops_with_provider: bool
    ) -> int:
        """Start the coordinator of a run and return its pid."""
        command = {"op": "coordinate", "run_dir": str(run_dir), "log": str(log)}
        return self._pid_for(operation, {**command, "stop_with_parent": stops_with_provider})

    def exit_code(self, pid: int) -> int | None:
        """Return how a process that was started here ended, negative for a signal; None while it runs."""
        with self._changed:
            return self._exit_codes.get(pid)

    def close(self) -> None:
        """End the fork server; the processes it started stay."""
        process, self._process = self._process, None
        if process is None or self._listener is None or process.stdin is None:
            return
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
        # a child that was frozen right after its start may hold the other end
        self._listener.join(timeout=2)
        if self._complaints is not None:
            self._complaints.close()

    def _pid_for(self, operation: Operation, command: dict[str, Any]) -> int:
        """Send a command and return the pid in its answer.

        Raises:
            ProviderError: There is no fork server, or it refused.
            InterruptedByUser: The user interrupted meanwhile.
        """
        with self._turn(operation):
            process = self._running(operation)
            try:
                assert process.stdin  # noqa: S101 - it was asked for
                process.stdin.write(json.dumps(command) + "\n")
                process.stdin.flush()
            except OSError as error:
                raise self._failed(process) from error
            answer = self._answer(operation, process)
        if not answer["ok"]:
            raise ProviderError(f"{operation.name}: the fork server refused: {answer['error']}")
        return answer["pid"]

    @contextlib.contextmanager
    def _turn(self, operation: Operation) -> Generator[None]:
        while not self._in_turn.acquire(timeout=0.5):
            operation.heartbeat("waiting for the import of TensorFlow")
        try:
            operation.sleep(0)
            yield
        finally:
            self._in_turn.release()

    def _running(self, operation: Operation) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        operation.progress.show("importing TensorFlow")
        self._answers.clear()
        # without a name, so that nothing is left of it when the provider is killed
        self._complaints = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            self._command,
            cwd=CHECKOUT,
            env=process_environment(os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
            # the engine interrupts the provider's process group when it closes it
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._listener.start()
        return self._process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout  # noqa: S101 - it was asked for
        with process.stdout as output:
            for line in output:
                heard = json.loads(line)
                with self._changed:
                    if "exited" in heard:
                        self._exit_codes[heard["exited"]] = heard["code"]
                    else:
                        # a pid that was used before is a new process now
                        self._exit_codes.pop(heard.get("pid", 0), None)
                        self._answers.append(heard)
                    self._changed.notify_all()

    def _answer(self, operation: Operation, process: subprocess.Popen[str]) -> dict[str, Any]:
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        has_ended = False
        with self._changed:
            while not self._answers:
                if has_ended or time.monotonic() > deadline:
                    break
                if operation.cancelled.is_set():
                    break
                # what it said last is still to be heard when it has ended
                has_ended = process.poll() is not None
                operation.heartbeat("still importing TensorFlow")
                self._changed.wait(0.1)
            if self._answers:
                return self._answers.pop(0)
        if operation.cancelled.is_set():
            self.close()
            raise InterruptedByUser(f"{operation.name}: interrupted")
        raise self._failed(process)

    def _failed(self, process: subprocess.Popen[str]) -> ProviderError:
        code = process.poll()
        complaint = ""
        if self._complaints is not None:
            self._complaints.seek(0)
            complaint = self._complaints.read().strip()
        self.close()
        _log.error("the fork server failed (%s): %s", code, complaint)
        said = complaint.rsplit("\n", 1)[-1] or (
            f"no answer in {ANSWER_TIMEOUT_S:.0f} s" if code is None else f"it ended with exit code {code}"
        )
        return ProviderError(
            f"TensorFlow can't be imported by {self._command[0]}: {said}. "
            "Run `make setup` to repair the virtual environment"
        )


@cache
def shared_fork_server() -> ForkServer:
    """Return the fork server of this process."""
    return ForkServer()
