import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from training.events import EventFile


def test_tensorboard_reads_the_curves(tmp_path) -> None:
    events = EventFile(tmp_path / "events")
    for step in (1, 2, 3):
        events.scalars(step, {"loss": 1 / step, "workers": 6.0})
    events.close()
    found = EventAccumulator(str(tmp_path / "events")).Reload()
    assert sorted(found.Tags()["scalars"]) == ["loss", "workers"]
    assert [(point.step, point.value) for point in found.Scalars("loss")] == [
        (step, pytest.approx(1 / step)) for step in (1, 2, 3)
    ]
