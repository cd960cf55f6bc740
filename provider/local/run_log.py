"""Reads a run's log while it grows, and passes it on to the terminal line by line.

What of a line reaches the terminal is decided by ``provider.run_lines``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from provider.progress import Progress
from provider.run_lines import RunLines


class RunLog(RunLines):
    """Relays a growing log file, line by line.

    Args:
        path: The log; it may not be there yet.
        steps: Steps of the whole run, to show how far it is.
        offset: Where to begin, in bytes.
        clock: Seconds that never go back.
    """

    def __init__(
        self, path: Path, steps: int, offset: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(steps, clock)
        self._path = path
        self._offset = offset
        self._rest = b""

    def relay(self, progress: Progress) -> None:
        """Show what was written since the last call."""
        try:
            with self._path.open("rb") as log:
                log.seek(self._offset)
                written = log.read()
        except FileNotFoundError:
            return
        self._offset += len(written)
        *lines, self._rest = (self._rest + written).split(b"\n")
        for line in lines:
            self.show(line.decode("utf-8", "replace"), progress)

    def relay_rest(self, progress: Progress) -> None:
        """Show everything that is left, after the end of the writer."""
        self.relay(progress)
        if self._rest:
            self.show(self._rest.decode("utf-8", "replace"), progress)
            self._rest = b""
