"""Where expensive things are kept between clones, and how they get there whole. Standard library only."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path


def cache_dir() -> Path:
    """Folder outside the checkout for what any clone can reuse; `TFCLUSTER_CACHE` names another one."""
    if chosen := os.environ.get("TFCLUSTER_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tfcluster"


@contextlib.contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold an exclusive lock on a file, so that of several clones one builds and the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def build_once(target: Path, build: Callable[[Path], None]) -> None:
    """Make the folder `target` with `build` unless it exists; it appears complete or not at all."""
    with locked(target.with_name(f"{target.name}.lock")):
        if target.exists():
            return
        scratch = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
        try:
            build(scratch)
            scratch.rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
