import os
import signal
import subprocess
import sys

from tests.liveness import ends

# forks are tried in a process of their own: this one has TensorFlow's threads
SCRIPT = """
import os, sys, time
from training.processes import Surroundings, fork
from training.session import Failed
from training.session_process import SessionProcess

def pid_of(body, **surroundings):
    return fork(body, Surroundings(title="tfcluster test", **surroundings))

print(os.waitstatus_to_exitcode(os.waitpid(pid_of(lambda: 3), 0)[1]))
print(os.waitstatus_to_exitcode(os.waitpid(pid_of(lambda: sys.exit(4)), 0)[1]))
print(os.waitstatus_to_exitcode(os.waitpid(pid_of(lambda: 1 / 0), 0)[1]))

def echo(connection):
    connection.send(connection.recv() + 1)
    return 0

session = SessionProcess(echo, "tfcluster test", 2)
print(session.receive(0.01))
session.send(41)
print(session.receive(30))
session.leave()
print(SessionProcess(lambda connection: 7, "tfcluster test", 2).receive(30))

sleeper = SessionProcess(lambda connection: time.sleep(600), "tfcluster test", 2)
sleeper.kill()
print(os.path.exists(f"/proc/{sleeper.pid}"))

print(pid_of(lambda: time.sleep(600), dies_with_parent=True))
sys.stdout.flush()
time.sleep(600)
"""


def test_forked_processes_answer_end_and_die_with_their_parent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        told = [process.stdout.readline().decode().strip() for _ in range(8)]
        os.kill(process.pid, signal.SIGKILL)
        assert process.stderr
        errors = process.stderr.read().decode()
    assert told[:3] == ["3", "4", "1"]
    assert "ZeroDivisionError" in errors
    assert told[3:5] == ["None", "42"]
    assert told[5] == 'Failed(message="the session\'s process has ended (exit code 7)", is_peer_fault=True)'
    assert told[6] == "False"
    assert ends(int(told[7]))
