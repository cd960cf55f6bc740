import os
import signal
import socket
import subprocess

import psutil
import pytest

from tests.liveness import ends
from tests.training.conftest import ForkServer, free_port, wait_for_port


def test_a_server_runs_in_its_own_session_with_its_name_and_log(fork_server, tmp_path) -> None:
    port = free_port()
    pid = fork_server.start_server("worker3", port, tmp_path)
    process = psutil.Process(pid)
    assert os.getsid(pid) == pid
    assert os.readlink(f"/proc/{pid}/fd/0") == "/dev/null"
    title = subprocess.run(
        ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=True
    ).stdout
    assert title.strip() == f"tfcluster server worker3 127.0.0.1:{port}"
    listening = {c.laddr.ip for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}, "plain IPv4, as people and tools look for it"
    assert fork_server.end(pid, signal.SIGTERM) == 0
    assert (tmp_path / "worker3.log").read_text().splitlines() == [
        f"worker3 listens on 127.0.0.1:{port} (pid {pid})",
        "worker3 stops: SIGTERM",
    ]


def test_a_childs_death_is_told_and_harms_nobody_else(fork_server, tmp_path) -> None:
    port = free_port()
    doomed = fork_server.start_server("worker0", free_port(), tmp_path)
    other = fork_server.start_server("worker1", port, tmp_path)
    assert fork_server.end(doomed, signal.SIGKILL) == -signal.SIGKILL
    wait_for_port(port)
    assert not psutil.pid_exists(doomed), "it must be reaped"
    fork_server.end(other)


def test_children_survive_the_fork_server(tmp_path) -> None:
    server, port = ForkServer(), free_port()
    pid = server.start_server("master", port, tmp_path)
    assert server.leave() == 0
    wait_for_port(port)
    os.kill(pid, signal.SIGKILL)
    assert ends(pid)
    assert server.pids == {pid}


def test_a_taken_port_ends_the_server_with_a_plain_line(fork_server, tmp_path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        pid = fork_server.ask(op="server", name="worker0", port=port, log=str(tmp_path / "log"))["pid"]
        assert fork_server.exit_code(pid) == 1
    assert (
        f"error: port {port} can't be opened on 127.0.0.1: another process holds it"
        in (tmp_path / "log").read_text()
    )


@pytest.mark.parametrize("line", [{"op": "dance"}, {"op": "server", "name": "x"}, {}])
def test_what_is_no_command_is_answered_and_survived(fork_server, line) -> None:
    answer = fork_server.ask(**line)
    assert answer["ok"] is False
    assert "not a command" in answer["error"]


def test_a_log_that_can_not_be_opened_is_told(fork_server, tmp_path) -> None:
    answer = fork_server.ask(
        op="server", name="worker0", port=free_port(), log=str(tmp_path / "none" / "log")
    )
    assert answer["ok"] is False
    assert "No such file" in answer["error"]
