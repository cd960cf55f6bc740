"""Takes the cluster down when the process that brought it up is gone without doing so, even if it was killed.

It runs as a process of its own that does nothing but wait for the end of a pipe, which the kernel closes with
whoever holds the other end.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kubecluster import cluster
from tests.kubecluster.places import LIVE, ClusterError

CHECKOUT = Path(__file__).resolve().parents[2]
DONE = b"done"


@contextmanager
def guarded() -> Iterator[None]:
    """Take the cluster down at the end of the block, and also if this process does not reach it.

    Raises:
        ClusterError: A cluster is there already, which somebody else may be using; or taking it down failed.
    """
    if LIVE.exists():
        raise ClusterError("a cluster is up, or was not taken down: see `python -m tests.kubecluster down`")
    command = [sys.executable, "-m", "tests.kubecluster.guard"]
    guard = subprocess.Popen(command, cwd=CHECKOUT, stdin=subprocess.PIPE, start_new_session=True)
    assert guard.stdin
    outcome = b""
    try:
        yield
    finally:
        try:
            cluster.down()
            outcome = DONE
        finally:
            guard.communicate(outcome)


def main() -> None:
    """Wait for the other end of the pipe to say that all is well, or to vanish."""
    if sys.stdin.buffer.read() != DONE:
        cluster.down()


if __name__ == "__main__":
    main()
