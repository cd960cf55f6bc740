"""What is remembered of servers."""

import json

import pytest

from provider.errors import ProviderError
from provider.local.identity import ProcessIdentity
from provider.local.records import ServerRecord, StackRecords, server_name


@pytest.fixture
def records(tmp_path):
    return StackRecords(tmp_path / "stack")


def save(records, name, role="worker", **values):
    return records.save(
        ServerRecord(name=name, role=role, port=20000 + len(name), is_published=True, **values)
    )


def test_a_record_is_read_as_it_was_written(records):
    saved = save(records, "worker0", process=ProcessIdentity(7, "boot:1"))
    assert records.load("worker0") == saved
    assert records.load("worker1") is None


def test_servers_come_in_the_order_of_their_numbers_master_first(records):
    for name in ("worker10", "worker9", "worker0"):
        save(records, name)
    save(records, "master", role="master")
    assert [record.name for record in records.all()] == ["master", "worker0", "worker9", "worker10"]
    assert [record.name for record in records.all("worker")] == ["worker0", "worker9", "worker10"]


def test_members_are_the_wanted_servers_whose_port_is_known(records):
    save(records, "worker0")
    save(records, "worker1", is_wanted=False)
    records.save(ServerRecord(name="worker2", role="worker", port=3))
    records.write_members()
    assert json.loads(records.members_file.read_text()) == {
        "master": [],
        "worker": [{"name": "worker0", "address": "127.0.0.1:20007"}],
    }


def test_without_servers_no_file_and_no_folder_stays(records):
    save(records, "worker0")
    records.log("worker0").touch()
    records.write_members()
    records.forget("worker0")
    records.write_members()
    assert not records.folder.exists()


def test_a_damaged_record_is_named_with_what_to_do(records):
    save(records, "worker0")
    records.path("worker0").write_text("{")
    with pytest.raises(ProviderError, match=r"worker0\.json is not a server's record .*: remove the file"):
        records.all()


def test_server_names():
    assert [server_name("master", 0), server_name("worker", 0), server_name("worker", 12)] == [
        "master",
        "worker0",
        "worker12",
    ]
