"""One operation that the engine asked of one resource: whose it is, where its lines go, when to stop.

Owns waiting, because every wait obeys the same rules: it has a name, a deadline and the setting that moves
it, it says something at least every 30 s, and it ends at once when the user interrupts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from provider.errors import InterruptedByUser, ProviderError
from provider.progress import Progress

HEARTBEAT_S = 30.0
"""Longest silence while waiting."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What a resource is given with each call.

    Attributes:
        urn: The resource's unique name in the engine.
        progress: Shows lines on the resource's row of the terminal.
        cancelled: Set when the user interrupts; wait on it in place of sleeping.
        timeout_s: The `customTimeouts` of the resource for this operation; 0 where none was set.
    """

    urn: str
    progress: Progress
    cancelled: threading.Event
    timeout_s: float = 0

    @property
    def name(self) -> str:
        """The resource's logical name."""
        return self.urn.rsplit("::", 1)[-1]

    @property
    def stack(self) -> str:
        """The name of the stack."""
        return self.urn.removeprefix("urn:pulumi:").split("::")[0]

    @property
    def project(self) -> str:
        """The name of the Pulumi project."""
        return self.urn.split("::")[1]

    def sleep(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            InterruptedByUser: The user interrupted, before or meanwhile.
        """
        if self.cancelled.wait(seconds):
            raise InterruptedByUser(f"{self.name}: interrupted")

    def heartbeat(self, line: str) -> None:
        """Show a line that stays, if the terminal has had none of this operation for half a minute."""
        if self.progress.silence_s >= HEARTBEAT_S:
            self.progress.say(line)

    def wait_until(
        self,
        what: str,
        poll: Callable[[], T | None],
        *,
        deadline_s: float,
        setting: str,
        status: Callable[[], str] = lambda: "",
        period_s: float = 0.5,
    ) -> T:
        """Call ``poll`` again and again until it returns something other than None or False; return that.

        Args:
            what: What is waited for, as in "the servers' ports".
            poll: Looks once; whatever it raises ends the wait.
            deadline_s: How long to wait at most.
            setting: The user's setting that the deadline comes from, as in "clusterWaitSeconds".
            status: One phrase on how things stand, shown while waiting and when the deadline passes.
            period_s: Time between two looks.

        Raises:
            InterruptedByUser: The user interrupted.
            ProviderError: The deadline passed; the message carries what, how long, status and setting.
        """
        started = time.monotonic()
        while True:
            found = poll()
            if found is not None and found is not False:
                return found
            waited = time.monotonic() - started
            if waited >= deadline_s:
                raise ProviderError(
                    f"{what}: not there after {deadline_s:g} s{_after_colon(status())}. "
                    f"Raise {setting} if it only needs more time"
                )
            line = f"waiting for {what} ({waited:.0f} s of {deadline_s:g} s){_after_colon(status())}"
            self.heartbeat(line)
            self.progress.show(line)
            self.sleep(min(period_s, deadline_s - waited))


def _after_colon(status: str) -> str:
    return f": {status}" if status else ""
