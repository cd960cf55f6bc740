import subprocess
from pathlib import Path

import pytest

from bootstrap import engine
from bootstrap.engine import MINIMUM, EngineError, ensure_engine, find_engine, parse_version
from bootstrap.go_build import engine_version


def put_program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def put_engine(folder: Path, version: str) -> None:
    put_program(folder, "pulumi", f"echo {version}")
    put_program(folder, "pulumi-language-python", "exit 0")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with nothing of ours on PATH and an empty cache."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("TFCLUSTER_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "version"), [("v3.274.1", (3, 274, 1)), ("3.249.0-alpha.1\n", (3, 249, 0)), ("nonsense", None)]
)
def test_the_printed_version_is_read(text, version):
    assert parse_version(text) == version


def test_a_pulumi_on_path_that_is_new_enough_is_used(machine):
    put_engine(machine / "path", "v" + ".".join(map(str, MINIMUM)))
    assert find_engine() == machine / "path"


def test_a_pulumi_on_path_that_is_too_old_is_passed_over(machine):
    put_engine(machine / "path", f"v{MINIMUM[0]}.{MINIMUM[1] - 1}.9")
    assert find_engine() is None


def test_a_pulumi_without_its_python_language_host_is_passed_over(machine):
    put_program(machine / "path", "pulumi", "echo v3.300.0")
    assert find_engine() is None


def test_an_engine_from_the_cache_serves_where_path_has_none(machine):
    cached = machine / "cache" / f"pulumi-{engine_version()}-built" / "bin"
    put_engine(cached, f"v{engine_version()}")
    assert ensure_engine() == cached


def test_without_installer_and_go_one_message_says_what_to_install(machine, monkeypatch):
    def fail(_target):
        raise subprocess.CalledProcessError(1, "python", stderr="Traceback\nURLError: no route to host\n")

    monkeypatch.setattr(engine, "_install", fail)
    with pytest.raises(EngineError) as error:
        ensure_engine()
    text = str(error.value)
    assert "installed: URLError: no route to host" in text
    assert "built: `go` is not on PATH" in text
    assert f"Install Pulumi {'.'.join(map(str, MINIMUM))} or newer" in text
    assert not list((machine / "cache").glob("pulumi-*/"))


def test_a_go_that_is_too_old_is_named_with_the_version_needed(machine, monkeypatch):
    put_program(machine / "path", "go", "echo go1.19.8")
    monkeypatch.setattr(engine, "_install", lambda _target: (_ for _ in ()).throw(OSError("offline")))
    with pytest.raises(EngineError, match=r"`go` on PATH is go1\.19\.8; 1\.26 or newer is needed"):
        ensure_engine()


def test_a_build_that_fails_shows_the_end_of_what_go_printed(machine, monkeypatch):
    put_program(
        machine / "path",
        "go",
        '[ "$1" = env ] && echo go1.26.0 && exit 0; echo "cannot find module" >&2; exit 1',
    )
    monkeypatch.setattr(engine, "_install", lambda _target: (_ for _ in ()).throw(OSError("offline")))
    with pytest.raises(EngineError, match=r"`go build` failed with exit code 1:\ncannot find module"):
        ensure_engine()


def test_the_engine_that_would_be_built_is_new_enough():
    version = parse_version(engine_version())
    assert version is not None
    assert version >= MINIMUM
