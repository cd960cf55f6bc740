import json

import pytest

from training.errors import RunError
from training.run_log import RunLog, StepRecord


def a_record(step: int, time_left_s: float | None = 119.7) -> StepRecord:
    return StepRecord(
        step=step,
        loss=0.25,
        accuracy=0.9,
        sec_per_step=0.1,
        examples_per_sec=6000.0,
        workers=6,
        time_left_s=time_left_s,
    )


@pytest.fixture
def log(tmp_path):
    found = RunLog(tmp_path)
    yield found
    found.close()


def test_every_tenth_step_and_the_last_are_rows(log, capfd) -> None:
    log.steps([a_record(step) for step in range(1, 21)], is_last=False)
    log.steps([a_record(step) for step in range(21, 24)], is_last=True)
    titles, *rows = capfd.readouterr().out.splitlines()
    assert titles.split() == ["step", "accuracy", "loss", "sec/step", "examples/s", "workers", "time", "left"]
    assert [row.split()[0] for row in rows] == ["10", "20", "23"]
    assert rows[0].split() == ["10", "0.9000", "0.2500", "0.1000", "6000", "6", "2:00"]


def test_an_unknown_time_left_is_a_question_mark(log, capfd, tmp_path) -> None:
    log.steps([a_record(10, time_left_s=None)], is_last=False)
    assert capfd.readouterr().out.split()[-1] == "?"
    assert json.loads((tmp_path / "metrics.jsonl").read_text())["time_left_s"] is None


def test_every_step_is_a_line_of_json(log, tmp_path) -> None:
    log.steps([a_record(1), a_record(2)], is_last=False)
    told = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["event"] for line in told] == ["step", "step"]
    assert told[1] | {"time": ""} == {"event": "step", "time": "", **vars(a_record(2))}


def test_a_file_that_can_not_be_written_is_named(log, tmp_path, monkeypatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("training.run_log.os.write", full)
    log.say("this line is lost, and nothing else")
    with pytest.raises(
        RunError, match=r"metrics\.jsonl can't be written: No space left on device. Make room"
    ):
        log.record("heartbeat")
    assert (tmp_path / "metrics.jsonl").read_text() == ""


def test_a_line_that_a_full_disk_tore_is_cut_off_by_the_next_run(tmp_path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"event": "heartbeat"}\n{"event": "st')
    again = RunLog(tmp_path)
    again.record("heartbeat")
    again.close()
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["heartbeat", "heartbeat"]


def test_warnings_phases_and_heartbeats_are_said_and_recorded(log, tmp_path, capfd) -> None:
    log.phase("train", "training from step 0", step=0)
    log.warn("worker1 is slow", server="worker1")
    log.heartbeat()
    assert capfd.readouterr().out.splitlines() == [
        "training from step 0",
        "warning: worker1 is slow",
        "still training from step 0",
    ]
    told = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["event"] for line in told] == ["phase", "warning", "heartbeat"]
    assert told[1]["server"] == "worker1"
