"""What this machine remembers of a stack's servers, in files of the stack's state folder.

Owns ``servers/<name>.json``, one a server that the stack has or once had, and ``members.json``, which tells
the coordinator of a run whom it may use. Records are written before and after each step of a start, so that
a provider that is killed in between leaves enough to find what it started. The engine's state is not read
here.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from provider.errors import ProviderError
from provider.local.identity import ProcessIdentity
from provider.local.locking import locked, remove_if_empty
from provider.local.ports import LOOPBACK
from training.files import write_atomically

ROLES = ("master", "worker")
"""Roles that have servers, in the order of ``members.json``; relied on by ``training``."""


class ServerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One server as this machine remembers it.

    Attributes:
        name: Its name, as in ``worker0``.
        role: Its role.
        port: Its port on the loopback address; None while it is being chosen.
        is_published: Whether the port was ever told to anybody; from then on it stays.
        process: The process that runs or ran it; None when it was stopped, or is being started.
        is_wanted: Whether it belongs to the stack now; a server that was scaled away keeps only its port.
    """

    name: str
    role: str
    port: int | None = None
    is_published: bool = False
    process: ProcessIdentity | None = None
    is_wanted: bool = True

    @property
    def address(self) -> str:
        """Where it listens, as ``host:port``."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether its process is alive."""
        return self.process is not None and self.process.is_alive


class StackRecords:
    """The records of one stack.

    Args:
        folder: The stack's state folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.members_file = folder / "members.json"
        self._servers = folder / "servers"

    def path(self, name: str) -> Path:
        """Return the record file of a server."""
        return self._servers / f"{name}.json"

    def log(self, name: str) -> Path:
        """Return the log file of a server."""
        return self._servers / f"{name}.log"

    def all(self, role: str | None = None) -> list[ServerRecord]:
        """Return the records of a role, or of all roles, in the order of the servers' numbers."""
        found = [self.load(path.stem) for path in self._servers.glob("*.json")]
        return sorted(
            (record for record in found if record and role in (None, record.role)),
            key=lambda record: (ROLES.index(record.role), len(record.name), record.name),
        )

    def load(self, name: str) -> ServerRecord | None:
        """Return a server's record, or None when there is none.

        Raises:
            ProviderError: The file is not a record.
        """
        try:
            return msgspec.json.decode(self.path(name).read_bytes(), type=ServerRecord)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            raise ProviderError(
                f"{self.path(name)} is not a server's record ({error}): remove the file, and stop the server "
                "yourself if it still runs"
            ) from error

    def save(self, record: ServerRecord) -> ServerRecord:
        """Write a server's record and return it."""
        self._servers.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path(record.name), msgspec.json.encode(record))
        return record

    def forget(self, name: str) -> None:
        """Remove a server's record and log."""
        self.log(name).unlink(missing_ok=True)
        self.path(name).unlink(missing_ok=True)

    def write_members(self) -> None:
        """List the wanted servers of all roles for the coordinator; without any, remove what is left."""
        with locked(self.folder):
            records = self.all()
            if not records:
                self.members_file.unlink(missing_ok=True)
                remove_if_empty(self._servers)
                remove_if_empty(self.folder)
                return
            members = {
                role: [
                    {"name": record.name, "address": record.address}
                    for record in records
                    if record.role == role and record.is_wanted and record.is_published
                ]
                for role in ROLES
            }
            write_atomically(self.members_file, msgspec.json.format(msgspec.json.encode(members)) + b"\n")


def server_name(role: str, number: int) -> str:
    """Return the name of a role's server: ``master``, ``worker0``, ``worker1`` and so on."""
    return role if role == "master" and number == 0 else f"{role}{number}"
