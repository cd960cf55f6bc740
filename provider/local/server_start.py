"""Starting servers so that each one is found again, whatever is killed in between.

Owns the order of a start: record, port, process, record, open port, published record. A server that runs
already is taken as it is; one whose process isn't in its record, because the provider was killed right after
it started it, is known by the log file it writes to. It decides nothing about which servers a stack has.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from provider.errors import ProviderError
from provider.local.fork_server import ForkServer
from provider.local.identity import identify, stop, with_standard_output
from provider.local.ports import PortRegistry, holder_of, is_free, is_listening
from provider.local.records import ServerRecord, StackRecords
from provider.operation import Operation

OPEN_TIMEOUT_S = 60.0
"""How long servers may take from their start until all their ports are open."""

PORT_ATTEMPTS = 5
"""How often another port is tried for a server whose port was taken while it started."""


class ServerStarter:
    """Starts the servers of one stack.

    Args:
        records: The stack's records.
        ports: The machine's ports.
        fork_server: What starts the processes.
    """

    def __init__(self, records: StackRecords, ports: PortRegistry, fork_server: ForkServer) -> None:
        self._records = records
        self._ports = ports
        self._fork_server = fork_server

    def ensure(self, operation: Operation, role: str, names: list[str]) -> list[ServerRecord]:
        """See to it that servers run and their ports are open; return their records in the same order.

        Raises:
            ProviderError: Some can't be started; the message has a reason for each.
            InterruptedByUser: The user interrupted; what was started so far runs on and is in the records.
        """
        running: dict[str, ServerRecord] = {}
        for _ in range(PORT_ATTEMPTS):
            waited_for = {name: self._found(name) for name in names if name not in running}
            missing = [name for name, record in waited_for.items() if record is None]
            if missing:
                operation.progress.show(f"starting {', '.join(missing)}")
            started = [record or self._started(operation, role, name) for name, record in waited_for.items()]
            opened, ended = self._wait_for_ports(operation, started)
            running |= {record.name: self._publish(record) for record in opened}
            self._refuse_hopeless(ended)
            if len(running) == len(names):
                return [running[name] for name in names]
        unlucky = ", ".join(name for name in names if name not in running)
        raise ProviderError(
            f"{unlucky}: {PORT_ATTEMPTS} ports one after the other were taken while the server started. "
            "Run `pulumi up` again"
        )

    def _found(self, name: str) -> ServerRecord | None:
        """Return the record of a server that runs already, its process entered if it was not."""
        record = self._records.load(name)
        if record is None or record.port is None:
            return None
        if not record.is_running:
            processes = with_standard_output(self._records.log(name))
            mine = [process for process in processes if is_listening(process.pid, record.port)] or processes
            stop(process for process in processes if process not in mine[:1])
            record = msgspec.structs.replace(record, process=mine[0] if mine else None)
        if not record.is_running:
            return None
        return self._records.save(msgspec.structs.replace(record, is_wanted=True))

    def _started(self, operation: Operation, role: str, name: str) -> ServerRecord:
        record = self._records.load(name) or self._records.save(ServerRecord(name=name, role=role))
        record = self._with_port(msgspec.structs.replace(record, process=None, is_wanted=True))
        assert record.port is not None  # noqa: S101 - it was given one
        pid = self._fork_server.start_server(operation, name, record.port, self._records.log(name))
        return self._records.save(msgspec.structs.replace(record, process=identify(pid)))

    def _with_port(self, record: ServerRecord) -> ServerRecord:
        """Return the record with a port that is free now; a published port is kept or the start refused."""
        path = self._records.path(record.name)
        if record.port is not None and record.is_published:
            owner = self._ports.reclaim(path, record.port)
            if owner is not None:
                raise ProviderError(_lost_port(record, f"the server of another stack ({owner})"))
            if not is_free(record.port):
                raise ProviderError(_lost_port(record, holder_of(record.port)))
            return self._records.save(record)
        if record.port is not None:
            self._ports.release(path, record.port)
        return self._records.save(msgspec.structs.replace(record, port=self._ports.claim(path)))

    def _wait_for_ports(
        self, operation: Operation, started: list[ServerRecord]
    ) -> tuple[list[ServerRecord], list[ServerRecord]]:
        """Wait until each server has opened its port or has ended; return the one and the other."""
        opened: list[ServerRecord] = []
        ended: list[ServerRecord] = []
        deadline = time.monotonic() + OPEN_TIMEOUT_S
        while started:
            ended += [record for record in started if not record.is_running]
            started = [record for record in started if record not in ended]
            opened += [record for record in started if _is_open(record)]
            started = [record for record in started if record not in opened]
            if started and time.monotonic() > deadline:
                words = [f"{record.name}: {_last_line(self._records.log(record.name))}" for record in started]
                raise ProviderError(
                    f"ports are not open {OPEN_TIMEOUT_S:.0f} s after the start; the last lines of these "
                    "servers' logs: " + "; ".join(words)
                )
            if started:
                operation.heartbeat(
                    f"waiting for the ports of {', '.join(record.name for record in started)}"
                )
                operation.sleep(0.05)
        return opened, ended

    def _publish(self, record: ServerRecord) -> ServerRecord:
        return self._records.save(msgspec.structs.replace(record, is_published=True))

    def _refuse_hopeless(self, ended: list[ServerRecord]) -> None:
        """Raise for servers that ended for another reason than a port that can still be changed."""
        reasons = [
            reason
            for record in ended
            if (reason := _reason(record, self._records.log(record.name))) is not None
        ]
        if reasons:
            raise ProviderError("\n".join(reasons))


def _is_open(record: ServerRecord) -> bool:
    process, port = record.process, record.port
    return process is not None and port is not None and is_listening(process.pid, port)


def _reason(record: ServerRecord, log: Path) -> str | None:
    if record.port is not None and not is_free(record.port):
        return _lost_port(record, holder_of(record.port)) if record.is_published else None
    return f"{record.name} ended while it started: {_last_line(log)}"


def _lost_port(record: ServerRecord, holder: str) -> str:
    return (
        f"port {record.port} of {record.name} is held by {holder}, and a server keeps its port for the "
        "stack's life: stop that and run `pulumi up` again, or give the ports up with `pulumi destroy`"
    )


def _last_line(log: Path) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        text = ""
    return text.strip().rsplit("\n", 1)[-1] or "it wrote nothing"
