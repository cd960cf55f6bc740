"""What ``tfcluster:index:LocalRun`` is asked and what it answers.

Owns the names in the engine and their way to ``RunSettings`` and from ``Result``. It starts nothing.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from provider.local.records import StackRecords
from provider.local.run_history import LOG_FILE
from provider.properties import Properties
from training.result import Result
from training.settings import RunSettings

RUNNING, SUCCEEDED = "running", "succeeded"


class Inputs(Properties, frozen=True, kw_only=True):
    """What is wanted.

    Attributes:
        settings: Settings of the training program by their names there, without ``members``.
        code_hash: Hash of the training code; another one is another run.
        run_id: Any word; another one is another run.
        runs_dir: Absolute folder of the run history.
        state_dir: Absolute folder of this stack's records and member list.
        wait: Whether to wait for the result.
    """

    settings: dict[str, Any]
    code_hash: str
    run_id: str
    runs_dir: str
    state_dir: str
    wait: bool


class Outputs(Properties, frozen=True, kw_only=True):
    """The run: where it is, whether it goes on, and its results once it has succeeded."""

    status: str
    run_dir: str
    follow: str
    test_accuracy: float | None = None
    final_loss: float | None = None
    steps: int | None = None
    sec_per_step: float | None = None
    examples_per_sec: float | None = None
    workers: int | None = None
    recommended_workers: int | None = None
    speedup: float | None = None
    efficiency: float | None = None
    bound: str | None = None


def run_settings(inputs: Inputs) -> RunSettings:
    """Return the settings of the training program, the list of members among them.

    Raises:
        SettingsError: The training program would refuse them.
    """
    members = f"file:{StackRecords(Path(inputs.state_dir)).members_file}"
    return RunSettings.from_json(json.dumps({**inputs.settings, "members": members}))


def running(run_dir: str) -> Outputs:
    """Return the outputs of a run that goes on."""
    return Outputs(status=RUNNING, run_dir=run_dir, follow=f"tail -n +1 -f {_quoted_log(run_dir)}")


def succeeded(result: Result, run_dir: str) -> Outputs:
    """Return the outputs of a run that has its result record."""
    return Outputs(
        status=SUCCEEDED,
        run_dir=run_dir,
        follow=f"cat {_quoted_log(run_dir)}",
        test_accuracy=result.test_accuracy,
        final_loss=result.final_loss,
        steps=result.steps,
        sec_per_step=result.sec_per_step,
        examples_per_sec=result.examples_per_sec,
        workers=result.workers,
        recommended_workers=result.recommended_workers,
        speedup=result.speedup,
        efficiency=result.efficiency,
        bound=result.bound,
    )


def _quoted_log(run_dir: str) -> str:
    return shlex.quote(str(Path(run_dir) / LOG_FILE))
