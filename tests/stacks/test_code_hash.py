import sys

import pytest

from stacks.code_hash import training_code_hash


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "training" / "tasks").mkdir(parents=True)
    (tmp_path / "training" / "coordinator.py").write_text("steps = 1\n")
    (tmp_path / "my_task_of_test.py").write_text("layers = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("my_task_of_test", None)


def test_the_same_code_has_the_same_hash(project):
    assert training_code_hash(project, "my_task_of_test") == training_code_hash(project, "my_task_of_test")


@pytest.mark.parametrize("changed", ["training/coordinator.py", "my_task_of_test.py", "training/new.py"])
def test_a_changed_file_of_program_or_task_changes_the_hash(project, changed):
    before = training_code_hash(project, "my_task_of_test")
    (project / changed).write_text("other = 2\n")
    assert training_code_hash(project, "my_task_of_test") != before


def test_a_file_that_is_no_code_does_not_change_the_hash(project):
    before = training_code_hash(project, "my_task_of_test")
    (project / "training" / "README.md").write_text("words\n")
    assert training_code_hash(project, "my_task_of_test") == before


def test_a_module_that_is_not_there_is_named(project):
    with pytest.raises(ModuleNotFoundError, match="no_such_task"):
        training_code_hash(project, "no_such_task")


def test_a_task_is_found_without_importing_it(project):
    training_code_hash(project, "my_task_of_test")
    assert "my_task_of_test" not in sys.modules
