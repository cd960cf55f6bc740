"""What was started and never told to the engine is found again or taken away; without the engine."""

import os
import signal
import socket
import sys
import threading

import msgspec
import pytest

from provider.errors import InterruptedByUser, ProviderError
from provider.local import local_run, server_processes
from provider.local.fork_server import ForkServer
from provider.local.identity import stop, with_standard_output
from provider.local.local_run import LocalRun
from provider.local.ports import PortRegistry
from provider.local.records import StackRecords
from provider.local.run_history import load
from provider.local.server_processes import ServerProcesses
from provider.operation import Operation
from provider.progress import Progress
from tests.provider.local.light import fork_server as light
from tests.provider.local.stack import wait_until


class Ports(PortRegistry):
    """A registry that first gives away the ports it is told to."""

    bait: tuple[int, ...] = ()

    def claim(self, record):
        if self.bait:
            port, *rest = self.bait
            self.bait = tuple(rest)
            return port
        return super().claim(record)


@pytest.fixture
def fork_server():
    made = ForkServer((sys.executable, "-m", light.__name__))
    yield made
    made.close()


@pytest.fixture
def ports(tmp_path):
    return Ports(tmp_path / "ports" / "registry")


@pytest.fixture
def servers(fork_server, ports, tmp_path):
    yield ServerProcesses(fork_server, ports)
    stop(processes_of(tmp_path))


@pytest.fixture
def operation():
    progress = Progress(lambda *_, **__: None, "urn")
    return Operation(urn="urn:pulumi:dev::p::t::it", progress=progress, cancelled=threading.Event())


@pytest.fixture
def wanted(tmp_path):
    return server_processes.Inputs(role="worker", count=2, state_dir=str(tmp_path / "stack"))


def processes_of(tmp_path):
    return {process for log in tmp_path.glob("stack/servers/*.log") for process in with_standard_output(log)}


def test_servers_that_the_engine_never_heard_of_are_taken_over(servers, operation, wanted):
    first = servers.create(operation, wanted).outputs
    assert servers.create(operation, wanted).outputs == first


def test_a_server_whose_process_was_not_recorded_is_known_by_its_log(servers, operation, wanted, tmp_path):
    first = servers.create(operation, wanted).outputs
    records = StackRecords(tmp_path / "stack")
    for record in records.all():
        records.save(msgspec.structs.replace(record, process=None, is_published=False))
    assert servers.create(operation, wanted).outputs == first
    assert len(processes_of(tmp_path)) == 2


def test_of_two_processes_of_one_server_the_one_that_listens_stays(
    servers, fork_server, operation, wanted, tmp_path
):
    first = servers.create(operation, wanted).outputs
    records = StackRecords(tmp_path / "stack")
    second = fork_server.start_server(operation, "worker0", 1, records.log("worker0"))
    wait_until(lambda: len(processes_of(tmp_path)) == 3)
    os.kill(second, signal.SIGSTOP)
    records.save(msgspec.structs.replace(records.load("worker0"), process=None))
    assert servers.create(operation, wanted).outputs == first
    assert len(processes_of(tmp_path)) == 2


def test_a_port_that_is_taken_while_its_server_starts_is_given_up_for_another(
    servers, ports, operation, wanted, tmp_path
):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        ports.bait = (stranger.getsockname()[1],) * 2
        outputs = servers.create(operation, wanted).outputs
        assert str(stranger.getsockname()[1]) not in [s.address.rsplit(":", 1)[1] for s in outputs.servers]
    assert [server.name for server in outputs.servers] == ["worker0", "worker1"]


def test_servers_that_end_at_once_are_reported_with_their_last_words_and_nothing_stays(
    ports, operation, wanted, tmp_path
):
    dying = ServerProcesses(ForkServer((sys.executable, "-m", light.__name__, "dying")), ports)
    with pytest.raises(ProviderError) as refused:
        dying.create(operation, wanted)
    assert str(refused.value).split("\n") == [
        "worker0 ended while it started: error: out of luck",
        "worker1 ended while it started: error: out of luck",
    ]
    assert not (tmp_path / "stack").exists()


def test_an_interrupted_start_leaves_no_process_and_no_file(servers, ports, operation, wanted, tmp_path):
    many = msgspec.structs.replace(wanted, count=20)
    stopper = threading.Thread(
        target=lambda: (wait_until(lambda: processes_of(tmp_path)), operation.cancelled.set())
    )
    stopper.start()
    with pytest.raises(InterruptedByUser):
        servers.create(operation, many)
    stopper.join()
    assert not processes_of(tmp_path)
    assert not (tmp_path / "stack").exists()
    assert not (tmp_path / "ports").exists()


def test_a_run_that_the_engine_never_heard_of_is_joined_and_not_started_twice(
    fork_server, operation, tmp_path
):
    inputs = local_run.Inputs(
        settings={"task": "play.slow", "steps": 100000},
        code_hash="c",
        run_id="",
        runs_dir=str(tmp_path / "runs"),
        state_dir=str(tmp_path / "stack"),
        wait=False,
    )
    runs = LocalRun(fork_server)
    first = runs.create(operation, inputs)
    coordinator = load(tmp_path / "runs" / os.path.basename(first.outputs.run_dir)).process
    try:
        assert runs.create(operation, inputs) == first
        assert coordinator.is_alive
    finally:
        assert stop([coordinator]) == []
