import sys
import types

import numpy as np
import pytest

from training.tasks import TaskError, load_task, truncated_normal


def test_a_task_is_named_by_its_module_path() -> None:
    assert load_task("training.tasks.mnist").__name__ == "training.tasks.mnist"  # type: ignore[attr-defined]


def test_a_module_that_is_not_there_is_told_with_the_setting() -> None:
    with pytest.raises(TaskError, match=r"task=no\.such\.module can't be imported: No module named 'no'"):
        load_task("no.such.module")


def test_a_module_that_lacks_functions_is_told_which(monkeypatch) -> None:
    module = types.ModuleType("half_a_task")
    module.load_data = module.predict = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "half_a_task", module)
    with pytest.raises(TaskError, match="task=half_a_task lacks initial_parameters, losses, scores"):
        load_task("half_a_task")


def test_truncated_normals_stay_within_two_deviations() -> None:
    values = truncated_normal(np.random.default_rng(0), (100, 100), 0.5)
    assert values.dtype == np.float32
    assert np.abs(values).max() <= 1.0
    assert values.mean() == pytest.approx(0, abs=0.02)
