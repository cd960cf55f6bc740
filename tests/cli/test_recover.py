import json
import os
import socket
import subprocess
import sys

import pytest

from cli import recover
from cli.recover import release_lock_of_dead_process
from tests.liveness import ends


@pytest.fixture(params=["reaped", "not reaped"])
def dead_pid(request):
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        assert ends(process.pid)
        if request.param == "reaped":
            process.wait()
        yield process.pid


@pytest.fixture
def cancelled(monkeypatch):
    commands = []
    monkeypatch.setattr(recover.subprocess, "run", lambda command, **_: commands.append(command))
    return commands


def put_lock(backend, stack, pid, hostname):
    folder = backend / ".pulumi" / "locks" / "organization" / "tfcluster" / stack
    folder.mkdir(parents=True, exist_ok=True)
    owner = {"pid": pid, "username": "me", "hostname": hostname, "timestamp": "2026-01-01T00:00:00Z"}
    (folder / "a-lock.json").write_text(json.dumps(owner))


def test_the_lock_of_a_process_that_is_gone_is_released_and_said(tmp_path, dead_pid, cancelled, capsys):
    put_lock(tmp_path, "local", dead_pid, socket.gethostname())
    release_lock_of_dead_process("local", {"PULUMI_BACKEND_URL": f"file://{tmp_path}"})
    assert cancelled == [["pulumi", "cancel", "--yes", "--stack", "local"]]
    assert f"process {dead_pid} since 2026-01-01T00:00:00Z held it and is gone" in capsys.readouterr().out


def test_the_lock_of_a_living_process_is_left_alone(tmp_path, cancelled):
    put_lock(tmp_path, "local", os.getpid(), socket.gethostname())
    release_lock_of_dead_process("local", {"PULUMI_BACKEND_URL": f"file://{tmp_path}"})
    assert cancelled == []


def test_the_lock_of_another_machine_is_left_alone(tmp_path, dead_pid, cancelled):
    put_lock(tmp_path, "local", dead_pid, "another-machine")
    release_lock_of_dead_process("local", {"PULUMI_BACKEND_URL": f"file://{tmp_path}"})
    assert cancelled == []


def test_the_lock_of_another_stack_is_left_alone(tmp_path, dead_pid, cancelled):
    put_lock(tmp_path, "other", dead_pid, socket.gethostname())
    release_lock_of_dead_process("local", {"PULUMI_BACKEND_URL": f"file://{tmp_path}"})
    assert cancelled == []


def test_a_remote_backend_is_none_of_its_business(cancelled):
    release_lock_of_dead_process("local", {"PULUMI_BACKEND_URL": "s3://bucket"})
    release_lock_of_dead_process("local", {})
    assert cancelled == []
