import dataclasses

import pytest

from components.kubernetes.servers import Servers, ServersArgs, stateful_set_spec
from tests.components.kubernetes.declaring import SMALL, everything, other_place
from tests.components.mocks import declared

ARGS = {
    "role": "worker",
    "count": 6,
    "namespace": "tf",
    "image": "example.com/server@sha256:1",
    "place": SMALL,
    "grpc_port": 2222,
}


def declare(**changes):
    return declared(lambda: Servers("worker", ServersArgs(**{**ARGS, **changes})))


def pod_spec(**changes):
    return stateful_set_spec(ServersArgs(**{**ARGS, **changes}))["template"]["spec"]


@pytest.mark.parametrize("count", [1, 6, 600])
def test_a_role_is_the_same_objects_whatever_the_number_of_servers(count):
    assert declare(count=count).inventory() == [
        ("kubernetes:apps/v1:StatefulSet", "worker-servers"),
        ("kubernetes:core/v1:Service", "worker-service"),
        ("kubernetes:policy/v1:PodDisruptionBudget", "worker-disruption"),
        ("tfcluster:index:Servers", "worker"),
    ]


def test_the_service_names_pods_before_they_are_ready_and_asks_for_no_address():
    spec = declare().inputs_of("worker-service")["spec"]
    assert spec["clusterIP"] == "None"
    assert spec["publishNotReadyAddresses"] is True


def test_service_stateful_set_and_budget_pick_the_same_pods():
    made = declare()
    stateful_set = made.inputs_of("worker-servers")["spec"]
    labels = stateful_set["template"]["metadata"]["labels"]
    assert stateful_set["serviceName"] == made.inputs_of("worker-service")["metadata"]["name"]
    for picked in (
        made.inputs_of("worker-service")["spec"]["selector"],
        stateful_set["selector"]["matchLabels"],
        made.inputs_of("worker-disruption")["spec"]["selector"]["matchLabels"],
    ):
        assert picked.items() <= labels.items()


def test_neither_service_nor_stateful_set_waits_for_the_other():
    made = declare()
    service = made.inputs_of("worker-service")
    assert "pulumi.com/skipAwait" not in service["metadata"]["annotations"], "it needs no workaround"
    assert made.inputs_of("worker-servers")["metadata"]["annotations"]["pulumi.com/skipAwait"] == "true"


def test_a_server_is_ready_when_its_port_is_open_and_asks_nothing_of_its_peers():
    (server,) = pod_spec()["containers"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert server[probe]["tcpSocket"] == {"port": 2222}


def test_servers_start_all_at_once_and_spread_over_nodes():
    spec = stateful_set_spec(ServersArgs(**ARGS))
    assert spec["podManagementPolicy"] == "Parallel"
    (spread,) = spec["template"]["spec"]["topologySpreadConstraints"]
    assert spread["topologyKey"] == "kubernetes.io/hostname"


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(ServersArgs)])
def test_no_argument_is_without_effect(field):
    other = {
        "role": "master",
        "count": 7,
        "namespace": "other",
        "image": "example.com/server@sha256:2",
        "place": other_place(),
        "grpc_port": 2223,
    }[field]
    assert everything(declare(**{field: other})) != everything(declare())
