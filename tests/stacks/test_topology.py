import pytest

from stacks.topology import SERVER_ROLES, Role, server_count


@pytest.mark.parametrize("workers", [1, 6, 600])
def test_there_is_one_master_and_as_many_workers_as_asked(workers):
    assert [server_count(role, workers) for role in SERVER_ROLES] == [1, workers]


def test_the_interface_has_no_tensorflow_server():
    assert server_count(Role.INTERFACE, 6) == 0
