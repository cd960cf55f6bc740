"""Code in the documentation is code: it is run here."""

import re
from pathlib import Path

import numpy as np

from training.tasks import DataRequest, load_task

PROJECT = Path(__file__).resolve().parent.parent


def test_the_task_shown_in_the_documentation_is_a_task(tmp_path, monkeypatch):
    page = (PROJECT / "docs" / "tasks.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "clouds_of_the_documentation.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    task = load_task("clouds_of_the_documentation")
    data = task.load_data(DataRequest())
    outputs = task.predict(task.initial_parameters(1), data.test.inputs, None)
    assert len(data.train) == 4000
    assert task.losses(outputs, data.test.labels).shape == (1000,)
    assert set(np.unique(task.scores(outputs, data.test.labels))) <= {0.0, 1.0}
