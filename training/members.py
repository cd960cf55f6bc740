"""Which servers there are: read again and again while a run goes on, so that servers may come and go.

Owns the two sources, a file and DNS. Whether a server answers is ``training.probes``'s business, whether it
is used the supervisor's.
"""

from __future__ import annotations

import json
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

MASTER, WORKER = "master", "worker"


class MembersError(ValueError):
    """The source can't be read, or what it says is not a list of servers."""


@dataclass(frozen=True)
class Server:
    """A TensorFlow server: its name (``worker3``) and the ``host:port`` at which it is dialled."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} ({self.address})"


@dataclass(frozen=True)
class Members:
    """The servers on offer: the master, None where none is listed, and the workers by their numbers."""

    master: Server | None
    workers: tuple[Server, ...]


class MemberSource(Protocol):
    """Something that knows which servers there are."""

    def read(self) -> Members:
        """Return the servers on offer now.

        Raises:
            MembersError: The source can't be read.
        """
        ...


def member_source(description: str) -> MemberSource:
    """Return the source that ``RunSettings.members`` describes, a text of either form."""
    kind, _, rest = description.partition(":")
    if kind == "file":
        return FileMembers(Path(rest))
    return DnsMembers(dict(part.split("=", 1) for part in rest.split(",")))


class FileMembers:
    """A JSON file that whoever starts servers replaces as a whole.

    ``{"master": [{"name": "master", "address": "127.0.0.1:40001"}], "worker": [...]}``
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Members:
        """Return the servers listed in the file."""
        try:
            listed: Any = json.loads(self._path.read_text(encoding="utf-8"))
            masters, workers = (
                [Server(str(server["name"]), str(server["address"])) for server in listed.get(role, [])]
                for role in (MASTER, WORKER)
            )
        except OSError as error:
            raise MembersError(f"{self._path}: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise MembersError(f"{self._path} is no list of servers: {error!r}") from error
        return Members(masters[0] if masters else None, _in_order(workers))


class DnsMembers:
    """DNS names, one a role, that resolve to the addresses of all its servers, as headless Services do.

    The name of each server is found by asking for ``<role>-<number>.<name>``, as StatefulSets are named;
    addresses without one are numbered after those that have one.
    """

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self._known: dict[str, dict[str, int]] = {MASTER: {}, WORKER: {}}

    def read(self) -> Members:
        """Return the servers that the names resolve to now; a name that doesn't resolve has none."""
        masters, workers = (self._servers(role) for role in (MASTER, WORKER))
        return Members(masters[0] if masters else None, _in_order(workers))

    def _servers(self, role: str) -> list[Server]:
        host, _, port = self._names[role].rpartition(":")
        addresses = _resolved(host, int(port))
        if addresses != set(self._known[role]):
            self._known[role] = self._numbered(role, host, int(port), addresses)
        return [
            Server(role if role == MASTER else f"{role}{number}", _joined(address, int(port)))
            for address, number in self._known[role].items()
        ]

    @staticmethod
    def _numbered(role: str, host: str, port: int, addresses: set[str]) -> dict[str, int]:
        numbers: dict[str, int] = {}
        number, misses = 0, 0
        # a set that is being replaced has gaps: a few numbers in a row that don't resolve end the search
        while len(numbers) < len(addresses) and misses <= len(addresses) + 2:
            found = _resolved(f"{role}-{number}.{host}", port) & addresses
            misses += not found
            numbers |= dict.fromkeys(found, number)
            number += 1
        for address in sorted(addresses - set(numbers)):
            numbers[address] = max(numbers.values(), default=-1) + 1
        return numbers


def _resolved(host: str, port: int) -> set[str]:
    try:
        return {str(answer[4][0]) for answer in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except OSError:
        return set()


def _joined(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _in_order(workers: list[Server]) -> tuple[Server, ...]:
    def number(server: Server) -> tuple[int, str]:
        digits = re.search(r"\d+$", server.name)
        return (int(digits[0]) if digits else -1, server.name)

    return tuple(sorted(workers, key=number))
