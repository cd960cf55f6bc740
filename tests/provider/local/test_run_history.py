"""Runs are found again by whose they are and when they were."""

from datetime import UTC, datetime

import msgspec
import pytest

from provider.errors import ProviderError
from provider.local.run_history import RunHistory, RunRecord, load, save, trained

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def start(history, now=NOON, state_dir="/state"):
    folder = history.new_folder(now)
    return save(
        RunRecord(
            run_dir=str(folder),
            state_dir=state_dir,
            settings={},
            code_hash="",
            run_id="",
            stops_with_provider=True,
        )
    )


def test_runs_of_the_same_second_get_folders_of_their_own(tmp_path):
    history = RunHistory(tmp_path / "runs", "dev", tmp_path)
    names = [history.new_folder(NOON).name for _ in range(3)]
    assert names == ["dev-20260301T120000Z-1", "dev-20260301T120000Z-2", "dev-20260301T120000Z-3"]


def test_the_newest_run_of_this_very_stack_is_the_last_one(tmp_path):
    runs = tmp_path / "runs"
    mine = RunHistory(runs, "dev", "/state")
    assert mine.last() is None
    records = [start(mine) for _ in range(11)]
    start(RunHistory(runs, "dev-2", "/state"), NOON.replace(hour=20))
    start(RunHistory(runs, "dev", "/elsewhere"), NOON.replace(hour=21), "/elsewhere")
    (runs / "dev-20990101T000000Z-1").mkdir()
    assert mine.last() == records[-1]
    assert records[-1].run_dir.endswith("-11")


def test_a_run_is_known_by_what_it_trains(tmp_path):
    record = start(RunHistory(tmp_path, "dev", "/state"))
    record = msgspec.structs.replace(record, settings={"steps": 5, "workers": 2, "resume": False}, run_id="a")
    assert record.is_for({"steps": 5, "workers": 8, "resume": True}, "", "a")
    assert not record.is_for({"steps": 5, "workers": 2, "resume": False}, "", "b")
    assert not record.is_for({"steps": 6, "workers": 2, "resume": False}, "", "a")
    assert not record.is_for({"steps": 5, "workers": 2, "resume": False}, "other code", "a")
    assert trained({"steps": 5, "workers": 2, "resume": False}) == {"steps": 5}


def test_a_damaged_record_and_an_impossible_folder_are_plain_errors(tmp_path):
    record = start(RunHistory(tmp_path, "dev", "/state"))
    (record.folder / "run.json").write_text("{")
    with pytest.raises(ProviderError, match="not the record of a run"):
        load(record.folder)
    (tmp_path / "file").touch()
    with pytest.raises(ProviderError, match=r"can't make a run's folder in .*runs: Not a directory"):
        RunHistory(tmp_path / "file" / "runs", "dev", tmp_path).new_folder(NOON)
