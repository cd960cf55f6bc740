"""The provider's end of the fork server, with real processes."""

import os
import signal
import sys
import threading

import pytest

from provider.errors import InterruptedByUser, ProviderError
from provider.local.environment import DOWNLOAD_PROXY, process_environment
from provider.local.fork_server import ForkServer
from provider.local.identity import identify, stop
from provider.operation import Operation
from provider.progress import Progress
from tests.provider.local.light import fork_server as light
from tests.provider.local.stack import wait_until


@pytest.fixture
def operation():
    progress = Progress(lambda *_, **__: None, "urn")
    return Operation(urn="urn:pulumi:dev::p::t::servers", progress=progress, cancelled=threading.Event())


@pytest.fixture
def fork_server():
    made = ForkServer((sys.executable, "-m", light.__name__))
    yield made
    made.close()


def test_a_started_server_outlives_the_fork_server(fork_server, operation, tmp_path):
    pid = fork_server.start_server(operation, "worker0", 29999, tmp_path / "log")
    identity = identify(pid)
    fork_server.close()
    assert identity.is_alive
    assert os.getsid(pid) == pid, "it is out of reach of the terminal's Ctrl-C"
    assert stop([identity]) == []


def test_how_a_process_ended_is_told(fork_server, operation, tmp_path):
    pid = fork_server.start_server(operation, "worker0", 29998, tmp_path / "log")
    assert fork_server.exit_code(pid) is None
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: fork_server.exit_code(pid) is not None)
    assert fork_server.exit_code(pid) == -signal.SIGKILL


def test_several_threads_get_each_its_own_answer(fork_server, operation, tmp_path):
    pids = {}

    def begin(name, port):
        pids[name] = fork_server.start_server(operation, name, port, tmp_path / f"{name}.log")

    threads = [threading.Thread(target=begin, args=(f"worker{n}", 29900 + n)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in pids:
        wait_until(lambda log=tmp_path / f"{name}.log", name=name: f"{name} listens" in log.read_text())
    assert stop([identify(pid) for pid in pids.values()]) == []


def test_a_refused_command_says_why(fork_server, operation, tmp_path):
    with pytest.raises(ProviderError, match=r"servers: the fork server refused: .*No such file"):
        fork_server.start_server(operation, "worker0", 29997, tmp_path / "no folder" / "log")


def test_without_tensorflow_the_message_is_what_python_said_and_what_to_run(operation, tmp_path):
    broken = ForkServer((sys.executable, "-c", "import no_such_module"))
    said = r"ModuleNotFoundError: No module named 'no_such_module'\. Run `make setup`"
    with pytest.raises(ProviderError, match=said):
        broken.start_server(operation, "worker0", 29996, tmp_path / "log")


def test_an_interrupt_does_not_wait_for_the_import_of_tensorflow(operation, tmp_path):
    slow = ForkServer((sys.executable, "-c", "import time; time.sleep(600)"))
    threading.Timer(0.3, operation.cancelled.set).start()
    with pytest.raises(InterruptedByUser):
        slow.start_server(operation, "worker0", 29995, tmp_path / "log")


def test_an_interrupted_operation_does_not_start_a_fork_server(operation, tmp_path):
    never = ForkServer((sys.executable, "-c", f"open({str(tmp_path / 'started')!r}, 'w')"))
    operation.cancelled.set()
    with pytest.raises(InterruptedByUser):
        never.start_server(operation, "worker0", 29994, tmp_path / "log")
    assert not (tmp_path / "started").exists()


def test_processes_get_the_users_environment_without_proxies_and_the_engines_secrets():
    users = {
        "PATH": "/bin",
        "HTTPS_PROXY": "http://p:1",
        "grpc_proxy": "x",
        "No_Proxy": "y",
        "TF_NUM_INTRAOP_THREADS": "1",
        "PULUMI_CONFIG_PASSPHRASE": "secret",
        "GRPC_ENABLE_FORK_SUPPORT": "0",
    }
    assert process_environment(users) == {
        "PATH": "/bin",
        "TF_NUM_INTRAOP_THREADS": "1",
        DOWNLOAD_PROXY: "http://p:1",
    }
    assert process_environment({"PATH": "/bin"}) == {"PATH": "/bin"}
