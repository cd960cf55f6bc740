"""A process is told from every other one, also from a later owner of its pid."""

import os
import signal
import subprocess
import sys

import pytest

from provider.local.identity import ProcessIdentity, identify, stop, with_standard_output

IGNORES_SIGTERM = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
)


@pytest.fixture
def sleeper():
    """A process that ends on SIGTERM."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_the_same_process_has_the_same_identity_each_time_and_another_has_another(sleeper):
    assert identify(sleeper.pid) == identify(sleeper.pid)
    assert identify(sleeper.pid) != identify(os.getpid())
    assert identify(sleeper.pid).is_alive


def test_a_process_that_ended_is_dead_even_before_it_is_reaped(sleeper):
    identity = identify(sleeper.pid)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert not identity.is_alive
    assert identify(sleeper.pid) is None


def test_a_later_owner_of_a_pid_is_neither_alive_in_its_stead_nor_stopped(sleeper):
    before = ProcessIdentity(sleeper.pid, "an earlier start")
    assert not before.is_alive
    assert stop([before]) == []
    assert sleeper.poll() is None


def test_stopping_ends_each_of_them_and_says_that_none_is_left(sleeper):
    assert stop([identify(sleeper.pid)]) == []
    assert sleeper.wait() == -signal.SIGTERM


def test_a_process_that_ignores_sigterm_is_killed():
    with subprocess.Popen([sys.executable, "-c", IGNORES_SIGTERM], stdout=subprocess.PIPE) as stubborn:
        stubborn.stdout.readline()
        assert stop([identify(stubborn.pid)], term_grace_s=0.2) == []
        assert stubborn.wait() == -signal.SIGKILL


def test_a_frozen_process_is_killed(sleeper):
    sleeper.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
    assert stop([identify(sleeper.pid)], term_grace_s=0.2) == []
    assert sleeper.wait() == -signal.SIGKILL


def test_a_process_is_known_by_the_file_its_output_goes_to(tmp_path):
    log = tmp_path / "a log"
    with log.open("w") as opened, subprocess.Popen(["sleep", "600"], stdout=opened) as writer:
        assert with_standard_output(log) == [identify(writer.pid)]
        assert with_standard_output(tmp_path / "another") == []
        writer.kill()
