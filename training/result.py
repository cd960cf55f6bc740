"""The result record of a run: what is known when, and only when, a run has succeeded.

Owns the file ``result.json``; free of TensorFlow, so that the infrastructure's side may import it. A run
without a complete record has not succeeded, whatever its exit code or its log say.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.files import write_atomically

RESULT_FILE = "result.json"


class ResultError(ValueError):
    """A result record is missing, damaged or not complete."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a succeeded run reached.

    Attributes:
        test_accuracy: Fraction of all test examples that the reloaded checkpoint gets right, 0 to 1.
        final_loss: Mean loss an example in the last step.
        steps: Steps trained since the initial weights.
        sec_per_step: Median seconds a step with the final set of workers.
        examples_per_sec: Training examples a second at that speed.
        workers: Workers at the end of the run.
        recommended_workers: The number that pays, where the run chose it itself; else equal to ``workers``.
        speedup: How many times faster than one worker alone; None where that was not measured.
        efficiency: ``speedup`` divided by ``workers``; None likewise.
        bound: One sentence on what limits the speed-up here.
        seed: The run's seed.
        data_source: Where the data came from, in words.
        versions: Versions of Python and TensorFlow that computed it.
        started: UTC time of the start, ISO 8601.
        ended: UTC time of the end, ISO 8601.
        run_dir: The run's folder.
        complete: Always true in a record that counts; written last.
    """

    test_accuracy: float
    final_loss: float
    steps: int
    sec_per_step: float
    examples_per_sec: float
    workers: int
    recommended_workers: int
    speedup: float | None
    efficiency: float | None
    bound: str
    seed: int
    data_source: str
    versions: dict[str, str]
    started: str
    ended: str
    run_dir: str
    complete: bool = True

    def write(self, run_dir: Path) -> None:
        """Write the record into the run's folder, whole or not at all."""
        text = json.dumps(dataclasses.asdict(self), indent=2) + "\n"
        write_atomically(run_dir / RESULT_FILE, text.encode())

    @classmethod
    def read(cls, run_dir: Path) -> Result:
        """Read the record of a run.

        Raises:
            ResultError: There is none, or it is damaged or not complete.
        """
        path = run_dir / RESULT_FILE
        try:
            values: Any = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ResultError(f"{path} does not exist: the run has not succeeded") from error
        except (OSError, ValueError) as error:
            raise ResultError(f"{path} can't be read: {error}") from error
        names = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(values, dict) or set(values) != names or values["complete"] is not True:
            raise ResultError(f"{path} is not a complete result record")
        return cls(**values)
