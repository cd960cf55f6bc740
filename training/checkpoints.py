"""Training states on disk: written whole or not at all, the newest few kept, anything unfinished ignored.

A checkpoint is a file ``state-<step>.npz`` and, written after it, ``state-<step>.json``, the marker that
makes it count, with the size and SHA-256 of the first. What else a run keeps in its folder is not this
module's business.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from training.errors import RunError
from training.files import write_atomically
from training.state import TrainingState

_PARAMETERS, _SLOTS = "parameters/", "slots/"
_MARKER = re.compile(r"state-(\d+)\.json")
_UNFINISHED = re.compile(r"\..*\.part")


class CheckpointStore:
    """The checkpoints of one run.

    Args:
        folder: Where they are kept; made on the first save.
        kept: How many are kept.
    """

    def __init__(self, folder: Path, kept: int) -> None:
        self._folder, self._kept = folder, kept

    def steps(self) -> list[int]:
        """Return the steps of the complete checkpoints, in order."""
        if not self._folder.is_dir():
            return []
        found = (_MARKER.fullmatch(path.name) for path in self._folder.iterdir())
        return sorted(int(match[1]) for match in found if match)

    def save(self, state: TrainingState) -> Path:
        """Write a checkpoint, then delete those beyond the number kept and leftovers of unfinished ones.

        Raises:
            RunError: It can't be written; earlier checkpoints are as they were.
        """
        content = io.BytesIO()
        parameters = {_PARAMETERS + name: value for name, value in state.parameters.items()}
        slots = {_SLOTS + name: value for name, value in state.slots.items()}
        np.savez(content, allow_pickle=False, **parameters, **slots)
        data, marker = self._paths(state.step)
        proof = {"step": state.step, "bytes": len(content.getbuffer()), "sha256": _digest(content.getvalue())}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(data, content.getvalue())
            write_atomically(marker, json.dumps(proof).encode())
        except OSError as error:
            earlier = self.steps()
            kept = f"The checkpoint of step {earlier[-1]} is intact" if earlier else "There is no earlier one"
            raise RunError(
                f"the checkpoint of step {state.step} can't be written to {error.filename}: "
                f"{error.strerror}. {kept}: make room, then resume the run"
            ) from error
        self._tidy()
        return data

    def clear(self) -> list[int]:
        """Delete all checkpoints, for a run that starts anew, and return their steps."""
        found = self.steps()
        _delete(self._folder.glob("state-*"))
        return found

    def load(self, step: int) -> TrainingState:
        """Read the checkpoint of a step.

        Raises:
            RunError: It can't be read or isn't what was written; the message names the file.
        """
        data, marker = self._paths(step)
        try:
            proof: Any = json.loads(marker.read_text(encoding="utf-8"))
            content = data.read_bytes()
            values = _arrays(content, proof["sha256"])
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            earlier = [other for other in self.steps() if other < step]
            fallback = f" to resume from step {earlier[-1]}" if earlier else ", or set resume to false"
            raise RunError(
                f"the checkpoint {data} can't be read: {_in_words(error)}. Delete {marker}{fallback}"
            ) from error
        return TrainingState(step, _below(_PARAMETERS, values), _below(_SLOTS, values))

    def _paths(self, step: int) -> tuple[Path, Path]:
        stem = f"state-{step:08d}"
        return self._folder / f"{stem}.npz", self._folder / f"{stem}.json"

    def _tidy(self) -> None:
        kept = {path for step in self.steps()[-self._kept :] for path in self._paths(step)}
        stale = [path for path in self._folder.glob("state-*") if path not in kept]
        _delete([*stale, *(path for path in self._folder.iterdir() if _UNFINISHED.fullmatch(path.name))])


def _delete(paths: Iterable[Path]) -> None:
    # markers first: without its marker a checkpoint doesn't count, without its data it can't be read
    for path in sorted(paths, key=lambda path: path.suffix != ".json"):
        with suppress(OSError):
            path.unlink()


def _arrays(content: bytes, sha256: str) -> dict[str, Any]:
    if _digest(content) != sha256:
        raise ValueError(f"its {len(content):,} bytes have another checksum than when they were written")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _below(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _in_words(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
