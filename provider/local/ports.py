"""Ports on this machine, each of which belongs to one server of one stack for the stack's life.

Owns the registry of all stacks of this user: a folder with one file a port that names the record file of the
server it belongs to. An entry whose record file is gone is free again, whatever happened to its stack. Ports
of programs that know nothing of the registry, other users' stacks among them, are noticed by trying.
"""

from __future__ import annotations

import os
import socket
import zlib
from pathlib import Path

import psutil

from provider.errors import ProviderError
from provider.local.locking import locked, remove_if_empty

LOOPBACK = "127.0.0.1"

FIRST_PORT, LAST_PORT = 20000, 29999
"""Below the ranges from which Linux (32768 on) and macOS (49152 on) give ports to outgoing connections, which
would otherwise take a stopped server's port, and below Kubernetes' node ports (30000 on)."""


class PortRegistry:
    """The ports that this user's stacks have.

    Args:
        folder: Where they are recorded; the same for all stacks.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def claim(self, record: Path) -> int:
        """Give a server a port that no other stack has and that nothing listens on now.

        Args:
            record: The server's record file; it exists, and the port is its for as long as it does.

        Raises:
            ProviderError: Every port is taken.
        """
        count = LAST_PORT - FIRST_PORT + 1
        # stacks start at different places, so that users who don't see each other's registry rarely meet
        start = zlib.crc32(os.fsencode(record.parent)) % count
        with locked(self._folder):
            for offset in range(count):
                port = FIRST_PORT + (start + offset) % count
                if self._owner(port) is None and is_free(port):
                    self._entry(port).write_text(str(record), encoding="utf-8")
                    return port
        raise ProviderError(
            f"none of the ports {FIRST_PORT} to {LAST_PORT} of this machine is free for a server: stop other "
            "stacks with `pulumi destroy`"
        )

    def reclaim(self, record: Path, port: int) -> Path | None:
        """Enter a port that a server had before, after the registry or the record file was moved.

        Returns:
            The record file of another server that has the port now; None when it is ours.
        """
        with locked(self._folder):
            owner = self._owner(port)
            if owner is not None and owner != record:
                return owner
            self._entry(port).write_text(str(record), encoding="utf-8")
            return None

    def release(self, record: Path, port: int) -> None:
        """Free a port, if it is this server's."""
        with locked(self._folder):
            if self._recorded_owner(port) == record:
                self._entry(port).unlink()
            remove_if_empty(self._folder)
        remove_if_empty(self._folder.parent)

    def _entry(self, port: int) -> Path:
        return self._folder / str(port)

    def _recorded_owner(self, port: int) -> Path | None:
        try:
            return Path(self._entry(port).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def _owner(self, port: int) -> Path | None:
        owner = self._recorded_owner(port)
        return owner if owner is not None and owner.exists() else None


def machine_registry() -> PortRegistry:
    """Return the registry that all stacks of this user share."""
    state_home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return PortRegistry(Path(state_home) / "tfcluster" / "ports")


def is_free(port: int) -> bool:
    """Whether a server could listen on a port of the loopback address now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen()
        except OSError:
            return False
    return True


def listeners(port: int) -> list[int]:
    """Return the pids of this user's processes that listen on a port of any address of this machine."""
    # asking each process needs no privilege, where asking the system for all of them does on macOS
    return [pid for pid in psutil.pids() if is_listening(pid, port)]


def is_listening(pid: int, port: int) -> bool:
    """Whether a process listens on a port."""
    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except psutil.Error:
        return False
    return any(
        connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        for connection in connections
    )


def holder_of(port: int) -> str:
    """Say who holds a port, in words for the user."""
    for pid in listeners(port):
        try:
            command = " ".join(psutil.Process(pid).cmdline())
        except psutil.Error:
            continue
        return f"process {pid} ({command[:120]})"
    return "a process of another user, or one that has just ended"
