import json
import socket

import pytest

from training.members import DnsMembers, FileMembers, Members, MembersError, Server, member_source


def test_a_file_lists_the_servers_workers_by_number(tmp_path) -> None:
    path = tmp_path / "members.json"
    workers = [{"name": f"worker{number}", "address": f"127.0.0.1:{number}"} for number in (10, 2, 1)]
    path.write_text(json.dumps({"master": [{"name": "master", "address": "127.0.0.1:9"}], "worker": workers}))
    found = member_source(f"file:{path}").read()
    assert found.master == Server("master", "127.0.0.1:9")
    assert [server.name for server in found.workers] == ["worker1", "worker2", "worker10"]


@pytest.mark.parametrize("text", ["", "[]", "3", '{"worker": [{"name": "x"}]}', '{"worker": 5}'])
def test_a_file_that_is_no_list_of_servers_is_told(tmp_path, text) -> None:
    (tmp_path / "members.json").write_text(text)
    with pytest.raises(MembersError, match="is no list of servers"):
        FileMembers(tmp_path / "members.json").read()


def test_a_file_that_is_missing_is_told(tmp_path) -> None:
    with pytest.raises(MembersError, match="No such file"):
        FileMembers(tmp_path / "members.json").read()


def test_a_file_without_a_role_has_none_of_it(tmp_path) -> None:
    (tmp_path / "members.json").write_text("{}")
    assert FileMembers(tmp_path / "members.json").read() == Members(None, ())


@pytest.fixture
def zone(monkeypatch) -> dict[str, list[str]]:
    """A name service of our own."""
    entries: dict[str, list[str]] = {}

    def getaddrinfo(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        if not entries.get(host):
            raise socket.gaierror(-2, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in entries[host]]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return entries


def test_names_resolve_to_numbered_servers(zone) -> None:
    zone |= {
        "master.ns": ["10.0.0.9"],
        "worker.ns": ["10.0.0.3", "10.0.0.1", "10.0.0.2"],
        "worker-0.worker.ns": ["10.0.0.2"],
        "worker-1.worker.ns": ["10.0.0.3"],
        "worker-2.worker.ns": ["10.0.0.1"],
    }
    found = member_source("dns:master=master.ns:2222,worker=worker.ns:2222").read()
    assert found.master == Server("master", "10.0.0.9:2222")
    assert found.workers == (
        Server("worker0", "10.0.0.2:2222"),
        Server("worker1", "10.0.0.3:2222"),
        Server("worker2", "10.0.0.1:2222"),
    )


def test_a_gap_in_the_numbers_keeps_the_others_names(zone) -> None:
    source = DnsMembers({"master": "master.ns:2222", "worker": "worker.ns:2222"})
    zone |= {"worker.ns": ["10.0.0.3"], "worker-2.worker.ns": ["10.0.0.3"]}
    assert source.read().workers == (Server("worker2", "10.0.0.3:2222"),)
    zone |= {"worker.ns": ["10.0.0.3", "10.0.0.8"], "worker-0.worker.ns": ["10.0.0.8"]}
    assert [server.name for server in source.read().workers] == ["worker0", "worker2"]


def test_names_that_do_not_resolve_have_no_servers(zone) -> None:
    assert zone == {}
    assert DnsMembers({"master": "a:1", "worker": "b:1"}).read() == Members(None, ())


def test_addresses_without_a_name_of_their_own_are_numbered_too(zone) -> None:
    zone["b"] = ["10.0.0.2", "10.0.0.1"]
    found = DnsMembers({"master": "a:1", "worker": "b:1"}).read()
    assert [str(server) for server in found.workers] == ["worker0 (10.0.0.1:1)", "worker1 (10.0.0.2:1)"]
