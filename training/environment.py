"""The environment TensorFlow and gRPC start in: their variables, their chatter, how they are imported."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager


def import_tensorflow() -> None:
    """Import TensorFlow without its chatter and without starting threads, so that the process may still fork.

    Values that the user has set stay. Graphics cards are left alone: servers that share a machine would each
    claim all of a card's memory.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with _standard_error_kept():
        import tensorflow as _  # noqa: F401


def drop_proxies() -> None:
    """Remove proxy variables, through which gRPC would dial its peers.

    Call it before a server or a session starts.
    See https://github.com/grpc/grpc/blob/master/doc/environment_variables.md.
    """
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]


@contextmanager
def _standard_error_kept() -> Generator[None]:
    """Hold back what libraries write to standard error; it is printed after all where the block fails."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as kept:
        real = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            kept.seek(0)
            os.write(real, kept.read())
            raise
        finally:
            os.dup2(real, 2)
            os.close(real)
