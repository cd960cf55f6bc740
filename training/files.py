"""Writing files so that a reader sees the whole content or none of it."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write ``content`` to ``path`` by way of a unique temporary file in the same folder, then renamed.

    Raises:
        OSError: Nothing was written under ``path``; the temporary file is gone and the error names ``path``.
    """
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(mode)
            Path(temporary).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
