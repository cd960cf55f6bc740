import socket

import pytest

from tests.training.cluster import Cluster
from tests.training.conftest import free_port
from training.probes import Probes, probe_all


def test_a_live_a_dead_and_a_frozen_server_are_told_apart(fork_server, tmp_path) -> None:
    cluster = Cluster(fork_server, tmp_path)
    cluster.start("master", "worker0")
    live, frozen, dead = (f"127.0.0.1:{port}" for port in (*cluster.ports.values(), free_port()))
    cluster.freeze("worker0")
    try:
        found = probe_all([live, frozen, dead], timeout_s=1)
    finally:
        cluster.close()
    assert found == {
        live: None,
        frozen: "accepted the connection, but did not answer within 1 s",
        dead: "connection refused",
    }


def test_something_else_that_listens_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        probes = Probes()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        probes.start(address, timeout_s=5)
        listener.accept()[0].close()
        answers = [answer for _ in range(50) for answer in probes.answers(wait_s=0.05)]
    assert [answer.address for answer in answers] == [address]
    assert answers[0].failure in (
        "closed the connection at once: it is no gRPC server",
        "connection reset by peer",
        "broken pipe",
    )


def test_a_name_that_does_not_resolve_is_told() -> None:
    address = "no-such-host.invalid:2222"
    assert "its name does not resolve" in (probe_all([address], timeout_s=1)[address] or "")


def test_asking_never_waits() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        probes = Probes()
        probes.start(f"127.0.0.1:{listener.getsockname()[1]}", timeout_s=60)
        assert probes.answers() == []
        assert probes.answers() == []
        probes.close()
        assert probes.answers() == []


@pytest.mark.parametrize("count", [0, 3])
def test_asking_nobody_or_the_same_one_often_is_fine(count) -> None:
    address = f"127.0.0.1:{free_port()}"
    assert probe_all([address] * count, timeout_s=1) == ({address: "connection refused"} if count else {})
