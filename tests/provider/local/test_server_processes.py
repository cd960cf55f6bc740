"""Servers over a stack's life, through the real engine and with real processes."""

import json
import os
import signal
import socket
import subprocess

import psutil

from provider.local.identity import with_standard_output
from provider.local.server_processes import Inputs, ServerProcesses
from tests.engine import Engine
from tests.provider.local.stack import LocalStack, answers, provider_of, wait_until


def test_servers_come_up_once_and_a_second_up_changes_nothing(stack):
    stack.engine.up().checked()
    workers, (master,) = stack.servers(), stack.servers("master")
    assert [server.name for server in workers] == ["worker0", "worker1"]
    assert master.name == "master"
    assert all(server.process.is_alive and answers(server.port) for server in [master, *workers])
    assert stack.members() == {
        "master": [{"name": "master", "address": f"127.0.0.1:{master.port}"}],
        "worker": [{"name": server.name, "address": f"127.0.0.1:{server.port}"} for server in workers],
    }

    assert "3 unchanged" in stack.engine.up().checked().text
    assert stack.servers() == workers


def test_a_change_of_the_count_starts_or_stops_only_the_difference(stack):
    stack.engine.up().checked()
    two = stack.servers()

    stack.engine.configure(workers=4)
    stack.engine.up().checked()
    four = stack.servers()
    assert four[:2] == two
    assert len({server.port for server in four}) == 4

    stack.engine.configure(workers=1)
    stack.engine.up().checked()
    assert stack.servers() == two[:1]
    assert not any(server.process.is_alive for server in four[1:])
    assert [member["name"] for member in stack.members()["worker"]] == ["worker0"]

    stack.engine.configure(workers=4)
    stack.engine.up().checked()
    assert [server.port for server in stack.servers()] == [server.port for server in four], "ports are kept"


def test_servers_that_an_interrupted_up_left_over_are_stopped_by_the_next_one(stack):
    stack.engine.up().checked()
    two = stack.servers()
    stack.engine.configure(workers=30)
    up = stack.engine.start("up", "--yes", "--skip-preview")
    wait_until(lambda: len(running_servers(stack)) > 3)
    up.interrupt()
    assert up.wait().code != 0

    stack.engine.configure(workers=2)
    assert "was left by an interrupted `pulumi up`" in stack.engine.up().checked().text
    assert stack.servers() == two
    assert len(running_servers(stack)) == 3


def test_a_server_that_died_is_found_by_refresh_and_started_again_on_its_port(stack):
    stack.engine.up().checked()
    first, second = stack.servers()
    os.kill(second.process.pid, signal.SIGKILL)

    assert "worker1 is not running any more" in stack.engine.refresh().checked().text
    stack.engine.up().checked()
    assert stack.servers()[0] == first
    again = stack.servers()[1]
    assert again.port == second.port
    assert again.process != second.process
    assert again.process.is_alive


def test_a_server_that_died_is_started_again_without_a_refresh_too(stack):
    stack.engine.up().checked()
    os.kill(stack.servers()[0].process.pid, signal.SIGKILL)
    assert "worker0 is not running any more" in stack.engine.preview().checked().text
    stack.engine.up().checked()
    assert all(server.process.is_alive for server in stack.servers())


def test_a_stranger_who_got_a_dead_servers_pid_is_neither_taken_for_it_nor_killed(stack):
    stack.engine.up().checked()
    second = stack.servers()[1]
    os.kill(second.process.pid, signal.SIGKILL)
    with subprocess.Popen(["sleep", "600"]) as stranger:
        # the pid can't be chosen here, so the record is made to name the stranger's, with our start time
        record = stack.state_dir / "servers" / "worker1.json"
        written = json.loads(record.read_text())
        written["process"]["pid"] = stranger.pid
        record.write_text(json.dumps(written))
        assert "worker1 is not running any more" in stack.engine.refresh().checked().text
        stack.engine.up().checked()
        assert stack.servers()[1].process.pid != stranger.pid
        stack.engine.destroy().checked()
        assert stranger.poll() is None
        stranger.kill()


def test_destroy_ends_every_process_frees_every_port_removes_every_file_and_says_so(stack, tmp_path):
    stack.engine.configure(workers=3)
    stack.engine.up().checked()
    servers = [*stack.servers(), *stack.servers("master")]
    os.kill(servers[1].process.pid, signal.SIGSTOP)

    ended = stack.engine.destroy().checked()
    assert "stopped 3 worker servers, freed 3 ports, removed their logs and records" in ended.text
    assert not any(server.process.is_alive or answers(server.port) for server in servers)
    assert not stack.state_dir.exists()
    assert not list(stack.ports_dir.rglob("*"))


def test_two_stacks_on_one_machine_never_share_a_port(stack, tmp_path):
    (tmp_path / "other").mkdir()
    other = LocalStack(Engine(tmp_path / "other"), tmp_path / "other")
    other.engine.environment["XDG_STATE_HOME"] = str(stack.ports_dir)
    try:
        ups = [one.engine.start("up", "--yes", "--skip-preview") for one in (stack, other)]
        for up in ups:
            up.wait().checked()
        ports = [
            server.port
            for one in (stack, other)
            for role in ("master", "worker")
            for server in one.servers(role)
        ]
        assert len(set(ports)) == 6
        other.engine.destroy().checked()
        assert all(server.process.is_alive for server in stack.servers())
    finally:
        other.end()


def test_a_published_port_that_a_stranger_took_is_named_with_its_holder(stack):
    stack.engine.up().checked()
    server = stack.servers()[1]
    os.kill(server.process.pid, signal.SIGKILL)
    wait_until(lambda: not server.process.is_alive)
    with socket.create_server(("127.0.0.1", server.port)):
        ended = stack.engine.up()
        assert ended.code != 0
        this_program = psutil.Process().cmdline()[0]
        assert f"port {server.port} of worker1 is held by process {os.getpid()} ({this_program}" in ended.text
        assert stack.servers()[0].process.is_alive
    stack.engine.up().checked()
    assert stack.servers()[1].port == server.port


def test_a_provider_killed_while_servers_start_leaves_none_that_is_not_found_again(stack):
    """It is killed once servers run and before the engine was told of any."""
    stack.engine.configure(workers=30)
    up = stack.engine.start("up", "--yes", "--skip-preview")
    wait_until(lambda: running_servers(stack))
    os.kill(provider_of(up), signal.SIGKILL)
    assert up.wait().code != 0
    left = running_servers(stack)
    assert left

    stack.engine.up().checked()
    listed = {server.process for role in ("master", "worker") for server in stack.servers(role)}
    assert left <= listed, "they are taken over"
    assert running_servers(stack) == listed, "none runs twice"
    stack.engine.destroy().checked()
    assert not running_servers(stack)


def test_neither_proxies_nor_the_engines_secrets_reach_a_server(stack):
    stack.engine.environment.update(
        {name: "http://127.0.0.1:9" for name in ("https_proxy", "HTTP_PROXY", "grpc_proxy", "ALL_PROXY")},
        no_proxy="127.0.0.1,localhost",
    )
    stack.engine.up().checked()
    environment = stack.servers()[0].log.read_text().lower()
    assert "path" in environment
    assert "_proxy'" not in environment
    assert "pulumi" not in environment


def test_wrong_inputs_are_refused_before_anything_starts(stack):
    stack.engine.configure(stateDir="relative")
    ended = stack.engine.up()
    assert ended.code != 0
    assert "property stateDir value {relative} has a problem: it is no absolute path" in ended.text


def test_each_wrong_input_is_a_problem_of_its_own():
    found = ServerProcesses().check(Inputs(role="if", count=-1, state_dir="here"))
    assert [(problem.input_name, problem.reason) for problem in found] == [
        ("role", "it has no servers: use master or worker"),
        ("count", "it is negative: use 0 or more"),
        ("stateDir", "it is no absolute path: write it in full"),
    ]


def running_servers(stack):
    """Return the processes that write to a log of the stack's servers, whatever is recorded of them."""
    logs = stack.state_dir.glob("servers/*.log")
    return {process for log in logs for process in with_standard_output(log)}
