"""MNIST's four files in their original form, and the checksums that say whether they are the real ones.

The format is at http://yann.lecun.com/exdb/mnist/: a big-endian header (type and number of axes, then the
length of each) followed by one unsigned byte a value. Checksums are of the uncompressed files.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from training.tasks import Array


class DataError(ValueError):
    """The data can't be had, or isn't what it should be; the message says what was tried."""


@dataclass(frozen=True)
class IdxFile:
    """One of the four files: its name at the mirrors, the shape of its array and its SHA-256."""

    name: str
    shape: tuple[int, ...]
    sha256: str


FILES = {
    "train_images": IdxFile(
        "train-images-idx3-ubyte",
        (60000, 28, 28),
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    "train_labels": IdxFile(
        "train-labels-idx1-ubyte",
        (60000,),
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    "test_images": IdxFile(
        "t10k-images-idx3-ubyte",
        (10000, 28, 28),
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    "test_labels": IdxFile(
        "t10k-labels-idx1-ubyte",
        (10000,),
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
}


def header(shape: tuple[int, ...]) -> bytes:
    """Return the header of a file of unsigned bytes."""
    unsigned_byte = 0x08
    return bytes([0, 0, unsigned_byte, len(shape)]) + b"".join(length.to_bytes(4, "big") for length in shape)


def parsed(key: str, content: bytes) -> Array:
    """Return the array in the uncompressed file ``key``, uint8.

    Raises:
        DataError: The content isn't that file, to the byte.
    """
    file = FILES[key]
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise DataError(
            f"{file.name} has {len(content):,} bytes with sha256 {found[:12]}..., not {file.sha256[:12]}...: "
            "it is damaged or something else"
        )
    return np.frombuffer(content, np.uint8, offset=len(header(file.shape))).reshape(file.shape)


def checked(key: str, array: Array) -> Array:
    """Return ``array`` as uint8 if it holds exactly the values of the file ``key``.

    Raises:
        DataError: Shape, type or any value differ.
    """
    file = FILES[key]
    if array.shape != file.shape or array.dtype != np.uint8:
        raise DataError(f"{key} is {array.dtype} {list(array.shape)}, not uint8 {list(file.shape)}")
    return parsed(key, header(file.shape) + array.tobytes())
