"""Starting servers and coordinators on this machine at once: TensorFlow is imported once, then forked.

Reads one JSON command a line on standard input and answers each with one JSON line on standard output:

- ``{"op": "server", "name": "worker0", "port": 40002, "log": "/path/worker0.log"}``
- ``{"op": "coordinate", "run_dir": "/path", "log": "/path/train.log", "stop_with_parent": true}``

Answers are ``{"ok": true, "pid": 123}`` or ``{"ok": false, "error": "..."}``; unasked, ``{"exited": 123,
"code": 0}`` tells that a child has ended (a negative code is the signal that ended it). The children outlive
this process, except for a coordinator started with ``stop_with_parent``. Ends at the end of standard input.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from setproctitle import setproctitle

from training.environment import import_tensorflow
from training.processes import Surroundings, fork, open_log

LOOPBACK = "127.0.0.1"


class ForkServer:
    """Forks children on command, and tells when they end."""

    def __init__(self) -> None:
        self._children: set[int] = set()
        # a coordinator that stops with its parent reads the other end, which closes when this process ends
        self._life_read, self._life_write = os.pipe()

    def answer(self, line: str) -> dict[str, Any]:
        """Carry out one command and return the answer."""
        try:
            command = json.loads(line)
            pid = {"server": self._server, "coordinate": self._coordinate}[command["op"]](command)
        except (ValueError, KeyError, TypeError) as error:
            return {"ok": False, "error": f"not a command ({error!r}): {line.strip()}"}
        except OSError as error:
            return {"ok": False, "error": str(error)}
        self._children.add(pid)
        return {"ok": True, "pid": pid}

    def reap(self) -> list[dict[str, int]]:
        """Return what to tell about children that have ended since the last call."""
        ended: list[dict[str, int]] = []
        for pid in list(self._children):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                self._children.remove(pid)
                ended.append({"exited": pid, "code": os.waitstatus_to_exitcode(status)})
        return ended

    def _server(self, command: dict[str, Any]) -> int:
        from training.server import run_server

        name, port = str(command["name"]), int(command["port"])
        title = f"tfcluster server {name} {LOOPBACK}:{port}"
        return self._forked(command, title, lambda: run_server(port, LOOPBACK, name))

    def _coordinate(self, command: dict[str, Any]) -> int:
        from training.coordinator import run_coordinator

        run_dir, stops = Path(command["run_dir"]), bool(command["stop_with_parent"])
        return self._forked(
            command,
            f"tfcluster coordinator {run_dir.name}",
            lambda: run_coordinator(run_dir, stops_with_parent=stops),
            life=self._life_read if stops else None,
        )

    def _forked(
        self, command: dict[str, Any], title: str, main: Callable[[], int], life: int | None = None
    ) -> int:
        log = open_log(Path(command["log"]))
        try:
            return fork(main, Surroundings(title=title, output=log, input=life))
        finally:
            os.close(log)


def main() -> int:
    """Serve commands until standard input ends."""
    setproctitle("tfcluster fork server")
    import_tensorflow()
    wakeup_read, wakeup_write = os.pipe()
    os.set_blocking(wakeup_read, False)
    os.set_blocking(wakeup_write, False)
    signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    server, pending = ForkServer(), b""
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ)
        selector.register(wakeup_read, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in selector.select()}
            if wakeup_read in ready:
                os.read(wakeup_read, 4096)
                _say(*server.reap())
            if 0 in ready:
                received = os.read(0, 65536)
                if not received:
                    return 0
                *lines, pending = (pending + received).split(b"\n")
                _say(*(server.answer(line.decode()) for line in lines if line.strip()))


def _say(*answers: dict[str, Any]) -> None:
    for answer in answers:
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
