"""Asking servers whether they still answer, without waiting for any of them.

A port that opens is not enough: the kernel accepts connections for a process that is frozen. So a probe
speaks the first sentence of HTTP/2, on which gRPC stands, and waits for the server's first sentence.

Format: https://www.rfc-editor.org/rfc/rfc9113#section-3.4
"""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from contextlib import suppress
from dataclasses import dataclass

_EMPTY_SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _EMPTY_SETTINGS


@dataclass(frozen=True)
class Answer:
    """What a probe found: ``failure`` is None where the server answered, else says what happened."""

    address: str
    failure: str | None
    asked_at: float


class _Probe:
    def __init__(self, address: str, timeout_s: float) -> None:
        self.address, self.asked_at = address, time.monotonic()
        self._deadline = self.asked_at + timeout_s
        self._timeout_s = timeout_s
        self._has_spoken = False
        self.failure: str | None = None
        self.socket: socket.socket | None = None
        host, _, port = address.rpartition(":")
        try:
            family, kind, _, _, target = socket.getaddrinfo(
                host.strip("[]"), int(port), type=socket.SOCK_STREAM
            )[0]
        except OSError as error:
            self.failure = f"its name does not resolve ({error.strerror})"
            return
        self.socket = socket.socket(family, kind)
        self.socket.setblocking(False)
        self.has_answered = False
        code = self.socket.connect_ex(target)
        if code not in (0, errno.EINPROGRESS):
            self._fail(os.strerror(code).lower())

    @property
    def is_over(self) -> bool:
        return self.socket is None

    def wants(self) -> int:
        return select.POLLIN if self._has_spoken else select.POLLOUT

    def go_on(self) -> None:
        """Take the next step, on an event or because time has passed."""
        assert self.socket  # noqa: S101  # narrows the type: only probes that go on are stepped
        code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._fail(os.strerror(code).lower())
            return
        try:
            if not self._has_spoken:
                self.socket.send(_PREFACE)
                self._has_spoken = True
            elif self.socket.recv(16):
                self._close()
            else:
                self._fail("closed the connection at once: it is no gRPC server")
        except BlockingIOError:
            pass
        except OSError as error:
            self._fail((error.strerror or str(error)).lower())

    def check_time(self, now: float) -> None:
        if self.socket and now > self._deadline:
            accepted = (
                "accepted the connection, but" if self._has_spoken else "did not accept a connection and"
            )
            self._fail(f"{accepted} did not answer within {self._timeout_s:g} s")

    def _fail(self, failure: str) -> None:
        self.failure = failure
        self._close()

    def _close(self) -> None:
        if self.socket:
            self.socket.close()
        self.socket = None


class Probes:
    """Probes under way."""

    def __init__(self) -> None:
        self._under_way: dict[str, _Probe] = {}

    def start(self, address: str, timeout_s: float) -> None:
        """Begin to probe an address, unless a probe of it is under way."""
        if address not in self._under_way:
            self._under_way[address] = _Probe(address, timeout_s)

    def answers(self, wait_s: float = 0) -> list[Answer]:
        """Return what was found since the last call, waiting up to ``wait_s`` for something to happen."""
        poller = select.poll()
        open_probes = {probe.socket.fileno(): probe for probe in self._under_way.values() if probe.socket}
        for descriptor, probe in open_probes.items():
            poller.register(descriptor, probe.wants())
        if len(open_probes) == len(self._under_way) > 0:
            for descriptor, _ in poller.poll(wait_s * 1000):
                open_probes[descriptor].go_on()
        now = time.monotonic()
        for probe in open_probes.values():
            probe.check_time(now)
        over = [probe for probe in self._under_way.values() if probe.is_over]
        for probe in over:
            del self._under_way[probe.address]
        return [Answer(probe.address, probe.failure, probe.asked_at) for probe in over]

    def close(self) -> None:
        """Forget all probes."""
        for probe in self._under_way.values():
            if probe.socket:
                with suppress(OSError):
                    probe.socket.close()
        self._under_way.clear()


def probe_all(addresses: list[str], timeout_s: float) -> dict[str, str | None]:
    """Probe addresses side by side and return for each None, or what went wrong."""
    probes, found = Probes(), dict[str, str | None]()
    for address in set(addresses):
        probes.start(address, timeout_s)
    while len(found) < len(set(addresses)):
        found |= {answer.address: answer.failure for answer in probes.answers(wait_s=0.1)}
    return found
