import json

import numpy as np
import pytest

from training.checkpoints import CheckpointStore
from training.errors import RunError
from training.state import TrainingState


def a_state(step: int) -> TrainingState:
    value = np.full((3, 2), step, np.float32)
    return TrainingState(step, {"conv/weights": value}, {"conv/weights/m": value + 1})


@pytest.fixture
def store(tmp_path) -> CheckpointStore:
    return CheckpointStore(tmp_path / "checkpoints", kept=3)


def test_a_state_is_read_as_it_was_saved(store) -> None:
    store.save(a_state(10))
    found = store.load(10)
    assert found.step == 10
    assert (found.parameters["conv/weights"] == 10).all()
    assert (found.slots["conv/weights/m"] == 11).all()
    assert (list(found.parameters), list(found.slots)) == (["conv/weights"], ["conv/weights/m"])


def test_the_newest_few_are_kept_and_nothing_else(store, tmp_path) -> None:
    for step in (10, 20, 30, 40, 50):
        store.save(a_state(step))
    assert store.steps() == [30, 40, 50]
    names = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert names == [f"state-000000{step}.{kind}" for step in (30, 40, 50) for kind in ("json", "npz")]


@pytest.mark.parametrize(
    "leftover", ["state-00000060.npz", ".state-00000060.npz.abc.part", ".state-00000060.json.x.part"]
)
def test_what_was_left_half_written_is_ignored_and_then_removed(store, tmp_path, leftover) -> None:
    store.save(a_state(50))
    (tmp_path / "checkpoints" / leftover).write_bytes(b"half")
    assert store.steps() == [50]
    store.save(a_state(70))
    assert not (tmp_path / "checkpoints" / leftover).exists()


def test_what_an_earlier_run_left_can_be_cleared(store, tmp_path) -> None:
    for step in (70, 80):
        store.save(a_state(step))
    (tmp_path / "checkpoints" / "notes.txt").write_text("the user's")
    assert store.clear() == [70, 80]
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["notes.txt"]
    store.save(a_state(10))
    assert store.load(10).step == 10
    assert CheckpointStore(tmp_path / "none", kept=3).clear() == []


def test_the_marker_is_written_last(store, tmp_path, monkeypatch) -> None:
    written: list[str] = []

    def note(path, content: bytes) -> None:
        written.append(path.suffix)
        path.write_bytes(content)

    monkeypatch.setattr("training.checkpoints.write_atomically", note)
    store.save(a_state(1))
    assert written == [".npz", ".json"]


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "gone", "marker"])
def test_a_damaged_checkpoint_is_named_with_the_way_out(store, tmp_path, damage) -> None:
    store.save(a_state(10))
    store.save(a_state(20))
    data, marker = (tmp_path / "checkpoints" / f"state-00000020.{kind}" for kind in ("npz", "json"))
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    match damage:
        case "cut":
            data.write_bytes(content[:-20])
        case "flipped":
            data.write_bytes(content)
        case "empty":
            data.write_bytes(b"")
        case "gone":
            data.unlink()
        case _:
            marker.write_text(json.dumps([]))
    with pytest.raises(
        RunError, match=r"state-00000020.npz can't be read: .*Delete .*20.json to resume from step 10"
    ):
        store.load(20)
    assert store.load(10).step == 10


def test_a_folder_that_can_not_be_written_is_named(tmp_path) -> None:
    (tmp_path / "checkpoints").write_text("a file where the folder should be")
    with pytest.raises(
        RunError,
        match=r"step 10 can't be written to .*checkpoints: .*There is no earlier one",
    ):
        CheckpointStore(tmp_path / "checkpoints", kept=3).save(a_state(10))


def test_without_a_folder_there_are_no_checkpoints(store) -> None:
    assert store.steps() == []
