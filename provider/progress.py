"""What a resource tells the user while the engine waits for it.

Owns the lines that a resource sends to the terminal during an operation. The engine shows them on the
resource's own row. Progress is never the result of an operation and never the place for an error: raise that
instead.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

import grpc
from pulumi.runtime.proto import engine_pb2
from pulumi.runtime.proto.engine_pb2_grpc import EngineStub

SHOW_PERIOD_MIN_S, SHOW_PERIOD_MAX_S = 1.0, 10.0
"""Shortest time between two ephemeral lines of one resource, at its start and later; it grows as a twentieth
of the time passed, because a terminal that isn't interactive keeps every one of them."""

_log = logging.getLogger(__name__)


class Terminal(Protocol):
    """Where lines go; the engine in production, a list in tests."""

    def __call__(self, urn: str, line: str, *, is_warning: bool, is_ephemeral: bool) -> None:
        """Show one line on the row of the resource with this URN."""
        ...


class EngineTerminal:
    """Shows lines through the engine's own service.

    Args:
        address: The engine's ``host:port``, the provider's first command-line argument.
    """

    def __init__(self, address: str) -> None:
        self._stub = EngineStub(grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]))

    def __call__(self, urn: str, line: str, *, is_warning: bool, is_ephemeral: bool) -> None:
        """Show one line on the row of the resource with this URN."""
        severity = engine_pb2.WARNING if is_warning else engine_pb2.INFO
        request = engine_pb2.LogRequest(severity=severity, message=line, urn=urn, ephemeral=is_ephemeral)
        try:
            self._stub.Log(request, timeout=10)
        except grpc.RpcError as error:
            # the engine is going away; what the resource does must not fail for it
            _log.info("a progress line was not shown (%s): %s", error, line)


class Progress:
    """The lines of one operation on one resource.

    Args:
        terminal: Where they go.
        urn: The resource whose row they appear on.
        clock: Seconds that never go back.
    """

    def __init__(self, terminal: Terminal, urn: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal = terminal
        self._urn = urn
        self._clock = clock
        self._started_at = clock()
        self._shown_at = self._started_at - SHOW_PERIOD_MIN_S
        self.last_line_at = self._started_at

    @property
    def silence_s(self) -> float:
        """Seconds since the last line, or since the start."""
        return self._clock() - self.last_line_at

    def show(self, line: str) -> None:
        """Show a line that the next one replaces; it is dropped when the last one is too young."""
        now = self._clock()
        period_s = min(max((now - self._started_at) / 20, SHOW_PERIOD_MIN_S), SHOW_PERIOD_MAX_S)
        if now - self._shown_at < period_s:
            return
        self._shown_at = now
        self._send(line, is_warning=False, is_ephemeral=True)

    def say(self, line: str) -> None:
        """Show a line that stays: few of them, each worth reading after the operation has ended."""
        self._send(line, is_warning=False, is_ephemeral=False)

    def warn(self, line: str) -> None:
        """Show a line that stays and is marked as a warning: the user should act on it."""
        self._send(line, is_warning=True, is_ephemeral=False)

    def _send(self, line: str, *, is_warning: bool, is_ephemeral: bool) -> None:
        self.last_line_at = self._clock()
        self._terminal(self._urn, line, is_warning=is_warning, is_ephemeral=is_ephemeral)
