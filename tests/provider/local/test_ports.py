"""A port belongs to one server of one stack."""

import multiprocessing
import os
import socket

import pytest

from provider.local.ports import FIRST_PORT, LAST_PORT, PortRegistry, holder_of, is_free, is_listening


@pytest.fixture
def registry(tmp_path):
    return PortRegistry(tmp_path / "registry" / "ports")


def server(folder, name):
    """Make the record file of a server."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    return folder / name


def claim_some(registry, folder):
    return [registry.claim(server(folder, f"worker{number}")) for number in range(25)]


def test_stacks_that_claim_at_the_same_time_get_different_ports(registry, tmp_path):
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        claimed = pool.starmap(claim_some, [(registry, tmp_path / f"stack{number}") for number in range(4)])
    ports = [port for stack in claimed for port in stack]
    assert len(set(ports)) == 100
    assert all(FIRST_PORT <= port <= LAST_PORT for port in ports)


def test_a_port_that_somebody_listens_on_is_not_given_away(registry, tmp_path):
    first = registry.claim(server(tmp_path / "stack", "a"))
    registry.release(tmp_path / "stack" / "a", first)
    with socket.create_server(("127.0.0.1", first)):
        assert not is_free(first)
        assert is_listening(os.getpid(), first)
        assert holder_of(first).startswith(f"process {os.getpid()} (")
        assert registry.claim(tmp_path / "stack" / "a") != first
    assert is_free(first)
    assert holder_of(first).startswith("a process of another user")


def test_a_port_whose_server_is_forgotten_is_free_again(registry, tmp_path):
    gone = server(tmp_path / "stack", "a")
    port = registry.claim(gone)
    gone.unlink()
    assert registry.claim(server(tmp_path / "stack", "b")) == port


def test_a_server_gets_its_port_back_unless_another_has_it(registry, tmp_path):
    mine, other = server(tmp_path / "mine", "a"), server(tmp_path / "other", "a")
    port = registry.claim(mine)
    assert registry.reclaim(mine, port) is None
    assert registry.reclaim(other, port) == mine
    registry.release(other, port)
    assert registry.reclaim(other, port) == mine, "only its owner can release a port"
    registry.release(mine, port)
    assert registry.reclaim(other, port) is None


def test_nothing_is_left_when_the_last_port_is_released(registry, tmp_path):
    record = server(tmp_path / "stack", "a")
    registry.release(record, registry.claim(record))
    assert not (tmp_path / "registry").exists()
