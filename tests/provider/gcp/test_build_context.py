"""The hash and the archive of a build context."""

import os
import tarfile
from io import BytesIO

import pytest

from provider.gcp.build_context import context_hash, packed


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "mnist.py").write_text("steps = 1\n")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    return tmp_path


def names(archive):
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        return tar.getnames()


def test_one_changed_byte_is_another_context(folder):
    before = context_hash(folder), packed(folder)
    (folder / "tasks" / "mnist.py").write_text("steps = 2\n")
    assert context_hash(folder) != before[0]
    assert packed(folder) != before[1]


def test_touching_a_file_changes_nothing(folder):
    before = context_hash(folder), packed(folder)
    os.utime(folder / "run.sh", (1, 1))
    (folder / "tasks" / "mnist.py").chmod(0o600)
    assert (context_hash(folder), packed(folder)) == before


def test_what_python_leaves_behind_is_no_part_of_the_context(folder):
    before = context_hash(folder)
    (folder / "tasks" / "__pycache__").mkdir()
    (folder / "tasks" / "__pycache__" / "mnist.cpython-311.pyc").write_bytes(b"x")
    assert context_hash(folder) == before
    assert names(packed(folder)) == ["run.sh", "tasks/mnist.py"]


@pytest.mark.parametrize(
    "change", [{"targets": ["interface"]}, {"platform": "linux/arm64"}, {"args": {"A": "2"}}]
)
def test_what_else_decides_the_image_decides_the_hash(folder, change):
    given = {"targets": ["server"], "platform": "linux/amd64", "args": {"A": "1"}}
    assert context_hash(folder, **given) != context_hash(folder, **(given | change))


def test_an_executable_stays_executable(folder):
    with tarfile.open(fileobj=BytesIO(packed(folder))) as tar:
        assert tar.getmember("run.sh").mode == 0o755


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        context_hash(tmp_path / "nowhere")
