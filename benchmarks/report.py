"""What the bench writes: the rows with their medians and spread, as JSON, as a table and as a plot."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BASELINE = "keras"


@dataclass
class Row:
    """One line of the table.

    Attributes:
        name: Name of the row.
        workers: Tasks that compute gradients.
        times_ms: Milliseconds a step, one number a repeat.
        cpu_ms: CPU milliseconds a step, all tasks of the row together, one number a repeat.
        steps_to_99: Steps to 99.0 % test accuracy, one number a trained seed; None where it was not reached.
        test_accuracy: Accuracy at the end of the training to 99.0 % or of the fixed number of steps.
        settings: Batch size, rate and synchronisation period.
        checked: What was checked for equal work, in words.
        predicted_ms: Milliseconds a step that ``training.cost_model`` predicts, where it knows the row.
        best_seconds_to_99: Where the same contestant is quicker to 99.0 % with other settings, that time.
    """

    name: str
    workers: int
    times_ms: list[float] = field(default_factory=list[float])
    cpu_ms: list[float] = field(default_factory=list[float])
    steps_to_99: list[int | None] = field(default_factory=list["int | None"])
    test_accuracy: float | None = None
    settings: dict[str, float] = field(default_factory=dict[str, float])
    checked: str = ""
    predicted_ms: float | None = None
    best_seconds_to_99: float | None = None

    @property
    def ms_per_step(self) -> float:
        """Median milliseconds a step."""
        return statistics.median(self.times_ms)

    @property
    def seconds_to_99(self) -> float | None:
        """Median steps to 99.0 % times the median time of a step; None unless every seed reached it."""
        if self.best_seconds_to_99 is not None:
            return self.best_seconds_to_99
        reached = [steps for steps in self.steps_to_99 if steps is not None]
        if not reached or len(reached) < len(self.steps_to_99):
            return None
        return statistics.median(reached) * self.ms_per_step / 1000


def as_json(rows: Sequence[Row], facts: dict[str, Any]) -> dict[str, Any]:
    """Return the content of ``bench.json``: ``rows`` and whatever else is known of the run."""
    base = next(row for row in rows if row.name == BASELINE)
    return {"rows": [_row(row, base) for row in rows], **facts}


def table(content: dict[str, Any]) -> str:
    """Return the rows as a table in Markdown, one line a row."""
    head = (
        "| row | workers | ms a step | spread | predicted (error) | CPU ms | times keras | s to 99.0 % "
        "| times keras | test accuracy |"
    )
    rule = "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    to_99 = {row["name"]: row["seconds_to_99"] for row in content["rows"]}
    lines = [_line(row, to_99.get(BASELINE)) for row in content["rows"]]
    return "\n".join([head, rule, *lines]) + "\n"


def write_json(content: dict[str, Any], path: Path) -> None:
    """Write ``bench.json``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def plot(content: dict[str, Any], path: Path) -> None:
    """Draw the speed-up against the number of workers, beside the ideal line and the other contestants."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    rows = {row["name"]: row for row in content["rows"]}
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    ours = sorted((row for name, row in rows.items() if name in _EXACT), key=lambda row: row["workers"])
    most = max(row["workers"] for row in rows.values())
    axes.plot([1, most], [1, most], linestyle="--", color="0.6", label="ideal")
    axes.plot(
        [row["workers"] for row in ours],
        [row["speedup"] for row in ours],
        marker="o",
        color="tab:blue",
        label="ours, exact",
    )
    for name, label, marker, color in _POINTS:
        if name in rows:
            axes.plot(
                rows[name]["workers"], rows[name]["speedup"], marker, color=color, label=label, markersize=8
            )
    axes.set(
        xlabel="workers", ylabel="times the steps a second of Keras fit on one task", ylim=(0, most + 0.5)
    )
    axes.set_xticks(range(1, most + 1))
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


_EXACT = ("ours-1", "ours-2", "ours-4", "ours-6")
_POINTS = (
    ("no-exchange-6", "six tasks, no exchange (the bound)", "^", "tab:gray"),
    ("mwms-6", "MultiWorkerMirroredStrategy", "s", "tab:orange"),
    ("ps-6", "ParameterServerStrategy", "D", "tab:red"),
)


def _row(row: Row, base: Row) -> dict[str, Any]:
    per_example = base.ms_per_step / base.settings["batch_size"], row.ms_per_step / row.settings["batch_size"]
    return {
        "name": row.name,
        "workers": row.workers,
        "ms_per_step": round(row.ms_per_step, 2),
        "ms_per_step_all": [round(value, 2) for value in row.times_ms],
        "predicted_ms_per_step": None if row.predicted_ms is None else round(row.predicted_ms, 2),
        "cpu_ms_per_step": round(statistics.median(row.cpu_ms), 2) if row.cpu_ms else None,
        # examples a second, which for rows of the same batch is steps a second
        "speedup": round(per_example[0] / per_example[1], 3),
        "seconds_to_99": round(row.seconds_to_99, 1) if row.seconds_to_99 is not None else None,
        "steps_to_99": row.steps_to_99,
        "test_accuracy": row.test_accuracy,
        "settings": row.settings,
        "checked": row.checked,
    }


def _line(row: dict[str, Any], base_to_99: float | None) -> str:
    times = row["ms_per_step_all"]
    to_99, cpu, accuracy = row["seconds_to_99"], row["cpu_ms_per_step"], row["test_accuracy"]
    predicted = row["predicted_ms_per_step"]
    cells = (
        row["name"],
        row["workers"],
        f"{row['ms_per_step']:.1f}",
        f"{min(times):.1f} to {max(times):.1f}",
        "" if predicted is None else f"{predicted:.1f} ({predicted / row['ms_per_step'] - 1:+.0%})",
        "" if cpu is None else f"{cpu:.1f}",
        f"{row['speedup']:.2f}",
        "" if to_99 is None else f"{to_99:.1f}",
        "" if to_99 is None or base_to_99 is None else f"{base_to_99 / to_99:.2f}",
        "" if accuracy is None else f"{accuracy:.4f}",
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
