import pytest

from components.local.servers import Servers, ServersArgs
from tests.components.mocks import declared

ARGS = {"role": "worker", "count": 6, "state_dir": "/state"}


def declare(**changes):
    return declared(lambda: Servers("worker", ServersArgs(**{**ARGS, **changes})))


@pytest.mark.parametrize("count", [1, 6, 600])
def test_a_role_is_one_component_with_one_resource_whatever_the_number_of_servers(count):
    assert declare(count=count).inventory() == [
        ("tfcluster:index:ServerProcesses", "worker-processes"),
        ("tfcluster:index:Servers", "worker"),
    ]


def test_the_provider_is_told_role_number_and_place():
    assert declare().inputs_of("worker-processes") == {"role": "worker", "count": 6, "stateDir": "/state"}


@pytest.mark.parametrize(("field", "value"), [("role", "master"), ("count", 7), ("state_dir", "/other")])
def test_no_argument_is_without_effect(field, value):
    changed = declare(**{field: value}).inputs_of("worker-processes")
    assert changed != declare().inputs_of("worker-processes")
