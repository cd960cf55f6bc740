"""The folders of a stack's runs, and the record in each of how it was started.

Owns ``<runs folder>/<stack>-<UTC time>-<number>/`` up to the moment the coordinator starts in it, and
``run.json`` there, which is written before and after that start, so that a run is found again whatever was
killed in between. What the coordinator writes into its folder is ``training``'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from provider.errors import ProviderError
from provider.local.identity import ProcessIdentity, with_standard_output
from training.files import write_atomically

RECORD_FILE, SETTINGS_FILE, LOG_FILE = "run.json", "settings.json", "train.log"

ELASTIC_SETTINGS = frozenset({"workers"})
"""Settings that a run in progress follows by itself: it looks at the list of members all the time."""

MANNER_SETTINGS = frozenset({"resume"})
"""Settings that say how a run is started, not what is trained."""


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How a run was started.

    Attributes:
        run_dir: Its folder.
        state_dir: The state folder of its stack; two stacks of one name may share a folder of runs.
        settings: What the resource asked for, as in its input.
        code_hash: As in the resource's input.
        run_id: As in the resource's input.
        stops_with_provider: Whether the coordinator ends by itself when the provider is gone.
        process: The coordinator; None between the record and its start.
    """

    run_dir: str
    state_dir: str
    settings: dict[str, Any]
    code_hash: str
    run_id: str
    stops_with_provider: bool
    process: ProcessIdentity | None = None

    @property
    def folder(self) -> Path:
        """Its folder."""
        return Path(self.run_dir)

    @property
    def log(self) -> Path:
        """What the coordinator prints."""
        return self.folder / LOG_FILE

    @property
    def coordinator(self) -> ProcessIdentity | None:
        """The coordinator, if it still runs."""
        if self.process is not None:
            return self.process if self.process.is_alive else None
        return next(iter(with_standard_output(self.log)), None)

    def is_for(self, settings: Mapping[str, Any], code_hash: str, run_id: str) -> bool:
        """Whether this run does, or did, what is asked for."""
        same_work = trained(self.settings) == trained(settings)
        return same_work and (self.code_hash, self.run_id) == (code_hash, run_id)


def trained(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that decide what a run trains."""
    return {name: settings[name] for name in settings if name not in ELASTIC_SETTINGS | MANNER_SETTINGS}


class RunHistory:
    """The runs of one stack.

    Args:
        runs_dir: The folder of all runs.
        stack: The stack's name.
        state_dir: The stack's state folder.
    """

    def __init__(self, runs_dir: Path, stack: str, state_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._stack = stack
        self._state_dir = state_dir

    def last(self) -> RunRecord | None:
        """Return the newest run of this stack, or None when there is none."""
        names = re.compile(re.escape(self._stack) + r"-(\d{8}T\d{6}Z)-(\d+)")
        folders = self._runs_dir.iterdir() if self._runs_dir.is_dir() else ()
        dated = [(found[1], int(found[2]), path) for path in folders if (found := names.fullmatch(path.name))]
        for *_, folder in sorted(dated, reverse=True):
            record = load(folder)
            if record is not None and record.state_dir == str(self._state_dir):
                return record
        return None

    def new_folder(self, now: datetime) -> Path:
        """Make the folder of a new run.

        Args:
            now: The time in UTC.

        Raises:
            ProviderError: The folder can't be made.
        """
        try:
            self._runs_dir.mkdir(parents=True, exist_ok=True)
            for number in range(1, 1000):
                folder = self._runs_dir / f"{self._stack}-{now:%Y%m%dT%H%M%SZ}-{number}"
                try:
                    folder.mkdir()
                except FileExistsError:
                    continue
                return folder
        except OSError as error:
            raise ProviderError(f"can't make a run's folder in {self._runs_dir}: {error.strerror}") from error
        raise ProviderError(f"{self._runs_dir} has a thousand runs of this second: remove some")


def load(run_dir: Path) -> RunRecord | None:
    """Return the record of a run, or None when it has none.

    Raises:
        ProviderError: The file is not a record.
    """
    path = run_dir / RECORD_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunRecord)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise ProviderError(
            f"{path} is not the record of a run ({error}): remove the file, and stop the coordinator "
            "yourself if it still runs"
        ) from error


def save(record: RunRecord) -> RunRecord:
    """Write the record of a run into its folder, and return it."""
    write_atomically(record.folder / RECORD_FILE, msgspec.json.encode(record))
    return record
