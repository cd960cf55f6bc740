"""The product's own provider and TensorFlow's own servers."""

import sys

import psutil
import pytest

from tests.engine import CHECKOUT
from tests.provider.local.stack import LocalStack


@pytest.fixture
def real_stack(engine, tmp_path):
    """A stack of real servers, nothing of it up yet."""
    made = LocalStack(engine, tmp_path, CHECKOUT / "provider")
    yield made
    made.end()


def test_seven_servers_share_one_import_of_tensorflow_listen_on_loopback_alone_and_go_without_a_trace(
    real_stack,
):
    real_stack.engine.configure(workers=6)
    real_stack.engine.up().checked()
    servers = [*real_stack.servers("master"), *real_stack.servers()]
    processes = [psutil.Process(server.process.pid) for server in servers]
    for process, server in zip(processes, servers, strict=True):
        listening = [c.laddr for c in process.net_connections() if c.status == psutil.CONN_LISTEN]
        assert [address.port for address in listening] == [server.port]
        assert listening[0].ip in ("127.0.0.1", "::ffff:127.0.0.1")
    if sys.platform == "linux":
        # the proportional size counts a page that seven processes share as a seventh in each
        together = sum(process.memory_full_info().pss for process in processes)
        assert together < 4 * processes[0].memory_info().rss

    assert "3 unchanged" in real_stack.engine.up().checked().text
    real_stack.engine.destroy().checked()
    assert not any(server.process.is_alive for server in servers)
    assert not real_stack.state_dir.exists()
