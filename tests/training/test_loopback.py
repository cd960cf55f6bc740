import contextlib
import socket
import subprocess
import sys

import pytest

from tests.training.conftest import free_port
from training.loopback import ListeningError, listening_on

SCRIPT = """
import socket, sys
from training.environment import import_tensorflow
import_tensorflow()
from training import server
from training.loopback import listening_addresses
bind, port, other = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kept = server.start(port, bind)
print(sorted(listening_addresses()))
with socket.socket() as probe:
    print(probe.connect_ex(("127.0.0.1", port)))
with socket.create_server(("0.0.0.0", other)):
    print(sorted(listening_addresses()))
"""


def answers_of_a_server(bind: str) -> list[str]:
    command = [sys.executable, "-c", SCRIPT, bind, str(free_port()), str(free_port())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="only a warning elsewhere")
def test_tensorflows_server_listens_on_loopback_alone_and_is_reached_there() -> None:
    addresses, reached, with_another = answers_of_a_server("127.0.0.1")
    assert addresses == "['127.0.0.1']"
    assert reached == "0"
    assert with_another == "['0.0.0.0', '127.0.0.1']", "later sockets of the process are none of our business"


def test_tensorflows_server_listens_on_every_address_when_asked() -> None:
    addresses, reached, _ = answers_of_a_server("0.0.0.0")
    assert addresses in ("['::']", "['0.0.0.0']")
    assert reached == "0"


@pytest.mark.skipif(sys.platform != "linux", reason="only a warning elsewhere")
def test_a_socket_that_listens_wider_is_an_error() -> None:
    wide = r"listens on 127\.0\.0\.2 instead of 127\.0\.0\.1 alone"
    with contextlib.ExitStack() as stack, pytest.raises(ListeningError, match=wide):
        listen_elsewhere(stack)


def listen_elsewhere(stack: contextlib.ExitStack) -> None:
    with listening_on("127.0.0.1"):
        stack.enter_context(socket.create_server(("127.0.0.2", 0)))


def test_elsewhere_there_is_a_warning(monkeypatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.warns(UserWarning, match=r"can't be kept to 127\.0\.0\.1"), listening_on("127.0.0.1"):
        pass
