"""What one training run is asked to do, and the rules its values obey.

Owns the settings file of a run (``settings.json``) and its checks; free of TensorFlow, so that the
infrastructure's side may import it. It doesn't read Pulumi's configuration and doesn't look at the machine:
whether a file exists is found out by whoever opens it.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MODULE_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_MEMBERS_FORM = "file:/path/members.json or dns:master=HOST:PORT,worker=HOST:PORT"
_DNS_MEMBERS = re.compile(r"dns:master=[^,=\s]+:\d+,worker=[^,=\s]+:\d+")


class SettingsError(ValueError):
    """A run's settings break one rule or more; the message lists every one of them."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Settings of one run.

    Attributes:
        members: Where the servers' addresses come from and keep coming from while the run goes on:
            ``file:/path/members.json``, or ``dns:master=HOST:PORT,worker=HOST:PORT``.
        task: Module path of the task: model, data, loss and metric.
        steps: Steps to train.
        batch_size: Examples a step, over all workers together.
        learning_rate: Adam's step size.
        seed: Governs initial weights, order of examples and dropout.
        sync_period: Steps between two synchronisations of the workers; 1 is exact.
        workers: Workers to wait for before the run starts; 0 takes as many as the membership source lists.
        workers_min: With ``workers_max``, lets the run choose how many of the offered workers it uses; 0 uses
            all of them.
        workers_max: The largest number the run may choose; 0 with ``workers_min`` 0.
        worker_gain_min: What one more worker must add to the speed, as a fraction of an even share, to be
            kept.
        measure_speedup: Measure one worker alone first, to say how many times faster all of them are.
        data_file: A data file the user has; empty looks in the cache, then at the public sources.
        data_dir: Folder of the data cache; empty is the user's own cache folder.
        data_mirror: Address below which the four gzipped files are; empty is the public mirror.
        cluster_wait_s: How long to wait for servers that don't answer, at the start or when all workers are
            gone.
        peer_timeout_s: Within this time a lost server is named; how long a lost master is waited for.
        train_timeout_s: Deadline of the whole run.
        checkpoint_period_s: Seconds between two checkpoints, which is also the work a fault may cost.
        checkpoints_kept: Checkpoints kept in the run's folder.
        coordinator_port: Port of the coordinator's own TensorFlow server; 0 takes any free one.
        resume: Continue from the newest complete checkpoint of the run's folder, where there is one.
    """

    members: str
    task: str = "training.tasks.mnist"
    steps: int = 1000
    batch_size: int = 600
    learning_rate: float = 0.001
    seed: int = 1
    sync_period: int = 1
    workers: int = 0
    workers_min: int = 0
    workers_max: int = 0
    worker_gain_min: float = 0.25
    measure_speedup: bool = True
    data_file: str = ""
    data_dir: str = ""
    data_mirror: str = ""
    cluster_wait_s: float = 120
    peer_timeout_s: float = 60
    train_timeout_s: float = 3600
    checkpoint_period_s: float = 5
    checkpoints_kept: int = 3
    coordinator_port: int = 0
    resume: bool = False

    def __post_init__(self) -> None:
        problems = _type_problems(self) or self._rule_problems()
        if problems:
            raise SettingsError(_listed(problems))

    @classmethod
    def from_json(cls, text: str) -> RunSettings:
        """Read settings from a JSON object with these attributes as keys.

        Raises:
            SettingsError: The text is no JSON object, has unknown keys, lacks ``members`` or breaks a rule.
        """
        try:
            values: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise SettingsError(f"the run's settings are not JSON: {error}") from error
        if not isinstance(values, dict):
            raise SettingsError(f"the run's settings must be a JSON object, not {type(values).__name__}")
        known = [field.name for field in dataclasses.fields(cls)]
        problems = [_unknown_key(key, known) for key in values if key not in known]
        if "members" not in values:
            problems.append(f"members is missing: it says where the servers are, as {_MEMBERS_FORM}")
        if problems:
            raise SettingsError(_listed(problems))
        return cls(**values)

    @classmethod
    def read(cls, path: Path) -> RunSettings:
        """Read a settings file.

        Raises:
            SettingsError: The file can't be read, or as for ``from_json``.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise SettingsError(f"{path} can't be read: {error.strerror}") from error
        return cls.from_json(text)

    def to_json(self) -> str:
        """Return the settings as a JSON object, every key present."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    @property
    def is_worker_count_automatic(self) -> bool:
        """Whether the run itself chooses how many workers it uses."""
        return self.workers_max > 0

    def _rule_problems(self) -> list[str]:
        at_least = dict.fromkeys(("steps", "batch_size", "sync_period", "checkpoints_kept"), 1)
        at_least |= dict.fromkeys(("seed", "workers", "workers_min", "workers_max"), 0)
        at_least |= dict.fromkeys(("worker_gain_min", "cluster_wait_s", "coordinator_port"), 0)
        problems = [
            f"{name}={value} is too small: it must be at least {lowest}"
            for name, lowest in at_least.items()
            if (value := getattr(self, name)) < lowest
        ]
        problems += [
            f"{name}={value} must be greater than 0"
            for name in ("learning_rate", "peer_timeout_s", "train_timeout_s", "checkpoint_period_s")
            if (value := getattr(self, name)) <= 0
        ]
        if not _MODULE_PATH.fullmatch(self.task):
            problems.append(f"task={self.task!r} is no module path: write it like training.tasks.mnist")
        if not (re.fullmatch(r"file:.+", self.members) or _DNS_MEMBERS.fullmatch(self.members)):
            problems.append(f"members={self.members!r} is neither of the two forms: write {_MEMBERS_FORM}")
        if self.workers > self.batch_size:
            problems.append(
                f"workers={self.workers} is more than batch_size={self.batch_size}: a worker needs "
                "at least one example a step. Lower workers or raise batch_size"
            )
        if (self.workers_min > 0) != (self.workers_max > 0) or self.workers_min > self.workers_max:
            problems.append(
                f"workers_min={self.workers_min} and workers_max={self.workers_max} must both be 0 (all "
                "workers are used), or 1 <= workers_min <= workers_max"
            )
        return problems


def _type_problems(settings: RunSettings) -> list[str]:
    problems: list[str] = []
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        allowed = {"str": str, "int": int, "float": (int, float), "bool": bool}[str(field.type)]
        is_misread_bool = isinstance(value, bool) and field.type != "bool"
        if not isinstance(value, allowed) or is_misread_bool:
            problems.append(f"{field.name}={value!r} must be of type {field.type}")
        elif isinstance(value, float) and not math.isfinite(value):
            problems.append(f"{field.name}={value} must be a finite number")
    return problems


def _unknown_key(key: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(key, known, n=1)
    advice = f"did you mean {nearest[0]}?" if nearest else f"known are {', '.join(sorted(known))}"
    return f"{key} is no setting of a run: {advice}"


def _listed(problems: list[str]) -> str:
    return "the run's settings don't hold:" + "".join(f"\n  - {problem}" for problem in problems)
