"""Folders that several processes use: one at a time, and gone when nothing is left in them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Hold a folder for this thread alone, making it when it isn't there; the lock ends with the process.

    A folder may be removed by whoever holds it.
    """
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still_at(descriptor, folder):
                yield
                return
        finally:
            os.close(descriptor)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that nothing is in; one that is gone, or being used, is left as it is."""
    with suppress(OSError):
        folder.rmdir()


def _is_still_at(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except FileNotFoundError:
        return False
