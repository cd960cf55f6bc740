import json
from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.report import Row


def row(name: str, times_ms: list[float], workers: int = 1, batch_size: int = 600, **values) -> Row:
    settings = {"batch_size": batch_size, "learning_rate": 0.001, "sync_period": 1}
    return Row(name, workers, times_ms=times_ms, settings=settings, **values)


def content() -> dict:
    rows = [
        row("keras", [300.0, 290.0, 400.0], steps_to_99=[1000], test_accuracy=0.99),
        row("ours-1", [250.0], cpu_ms=[60.0]),
        row("ours-6", [75.0, 100.0, 60.0], workers=6, steps_to_99=[1000, 1200], predicted_ms=66.0),
        row("ours-6-best", [50.0], workers=6, batch_size=300, steps_to_99=[900, None]),
        row("mwms-6", [150.0], workers=6),
    ]
    return report.as_json(rows, {"total_s": 1})


def test_numbers_are_medians_and_ratios_to_keras() -> None:
    rows = {found["name"]: found for found in content()["rows"]}
    assert rows["keras"]["ms_per_step"] == 300
    assert rows["keras"]["speedup"] == 1
    assert rows["ours-6"]["speedup"] == pytest.approx(4)
    assert rows["ours-6"]["ms_per_step_all"] == [75, 100, 60]
    assert rows["ours-6"]["seconds_to_99"] == pytest.approx(1100 * 0.075, abs=0.05)


def test_steps_of_another_batch_are_compared_by_examples() -> None:
    rows = {found["name"]: found for found in content()["rows"]}
    assert rows["ours-6-best"]["speedup"] == pytest.approx(3), "half a batch in a sixth of the time"


def test_a_row_that_missed_the_accuracy_once_has_no_time_to_it() -> None:
    rows = {found["name"]: found for found in content()["rows"]}
    assert rows["ours-6-best"]["seconds_to_99"] is None
    assert rows["ours-1"]["seconds_to_99"] is None


def test_every_row_of_the_file_has_the_named_fields(tmp_path: Path) -> None:
    report.write_json(content(), tmp_path / "build" / "bench.json")
    read = json.loads((tmp_path / "build" / "bench.json").read_text())
    fields = {"name", "workers", "ms_per_step", "speedup", "seconds_to_99", "test_accuracy", "checked"}
    assert all(fields <= set(found) for found in read["rows"])


def test_the_table_has_a_line_a_row_with_ratios_to_the_baseline() -> None:
    lines = report.table(content()).splitlines()
    assert len(lines) == 2 + 5
    ours = next(line for line in lines if line.startswith("| ours-6 "))
    assert ours == "| ours-6 | 6 | 75.0 | 60.0 to 100.0 | 66.0 (-12%) |  | 4.00 | 82.5 | 3.64 |  |"


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    report.plot(content(), tmp_path / "speedup.png")
    assert (tmp_path / "speedup.png").read_bytes().startswith(b"\x89PNG")
