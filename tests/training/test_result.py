import json
from pathlib import Path

import pytest

from training.result import Result, ResultError


def a_result(run_dir: Path) -> Result:
    return Result(
        test_accuracy=0.98, final_loss=0.1, steps=10, sec_per_step=0.05, examples_per_sec=12000.0, workers=2,
        recommended_workers=2, speedup=1.5, efficiency=0.75, bound="2 cores", seed=1, data_source="cache",
        versions={"python": "3.11"}, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:01:00Z",
        run_dir=str(run_dir),
    )  # fmt: skip


def test_a_record_is_read_as_it_was_written(tmp_path) -> None:
    a_result(tmp_path).write(tmp_path)
    assert Result.read(tmp_path) == a_result(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_complete_is_the_last_key_of_the_record(tmp_path) -> None:
    a_result(tmp_path).write(tmp_path)
    assert list(json.loads((tmp_path / "result.json").read_text()))[-1] == "complete"


def test_a_missing_record_is_no_success(tmp_path) -> None:
    with pytest.raises(ResultError, match="has not succeeded"):
        Result.read(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "incomplete", "lacking", "list"])
def test_a_damaged_record_is_no_success(tmp_path, damage: str) -> None:
    a_result(tmp_path).write(tmp_path)
    path = tmp_path / "result.json"
    values = json.loads(path.read_text())
    path.write_text(
        {
            "cut": path.read_text()[:-10],
            "incomplete": json.dumps(values | {"complete": False}),
            "lacking": json.dumps({"complete": True}),
            "list": "[]",
        }[damage]
    )
    with pytest.raises(ResultError):
        Result.read(tmp_path)
