import threading

import pytest

from bootstrap.cache import build_once, cache_dir


def test_the_cache_lies_where_the_variable_says(monkeypatch, tmp_path):
    monkeypatch.setenv("TFCLUSTER_CACHE", str(tmp_path / "mine"))
    assert cache_dir() == tmp_path / "mine"


def test_the_cache_lies_in_the_users_cache_folder_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("TFCLUSTER_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "tfcluster"


def test_of_several_builders_at_once_one_builds(tmp_path):
    built = []
    started = threading.Barrier(4)

    def build(folder):
        built.append(folder)
        (folder / "program").write_text("done")

    def one_clone():
        started.wait()
        build_once(tmp_path / "engine", build)

    clones = [threading.Thread(target=one_clone) for _ in range(4)]
    for clone in clones:
        clone.start()
    for clone in clones:
        clone.join()
    assert len(built) == 1
    assert (tmp_path / "engine" / "program").read_text() == "done"


def test_a_build_that_fails_leaves_nothing_behind_and_is_tried_again(tmp_path):
    def fail(folder):
        (folder / "half").write_text("x")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build_once(tmp_path / "engine", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["engine.lock"]
    build_once(tmp_path / "engine", lambda folder: (folder / "whole").touch())
    assert (tmp_path / "engine" / "whole").exists()
