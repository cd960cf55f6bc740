import dataclasses

import pytest

from components.kubernetes.interface import Interface, InterfaceArgs, deployment_spec
from tests.components.kubernetes.declaring import SMALL, everything, other_place
from tests.components.mocks import Recorder, declared

ARGS = {
    "role": "if",
    "namespace": "tf",
    "image": "example.com/interface@sha256:1",
    "place": SMALL,
    "claim_name": "runs",
    "notebook_port": 8888,
    "tensorboard_port": 6006,
}


def declare(**changes):
    recorder = Recorder(computed={"tfcluster:index:RandomToken": {"value": "secret"}})
    return declared(lambda: Interface("interface", InterfaceArgs(**{**ARGS, **changes})), recorder)


def pod_spec():
    return deployment_spec(InterfaceArgs(**ARGS), "if-token")["template"]["spec"]


def test_the_interface_is_one_pod_behind_a_service_and_a_token():
    assert declare().inventory() == [
        ("kubernetes:apps/v1:Deployment", "interface-pod"),
        ("kubernetes:core/v1:Secret", "interface-secret"),
        ("kubernetes:core/v1:Service", "interface-service"),
        ("tfcluster:index:Interface", "interface"),
        ("tfcluster:index:RandomToken", "interface-token"),
    ]


def test_the_notebook_takes_its_token_from_the_secret_and_from_nowhere_else():
    notebook, tensorboard = pod_spec()["containers"]
    assert notebook["env"] == [
        {"name": "JUPYTER_TOKEN", "valueFrom": {"secretKeyRef": {"name": "if-token", "key": "token"}}}
    ]
    assert not any("token" in argument.lower() for argument in notebook["args"])
    assert "env" not in tensorboard


def test_the_service_stays_inside_the_cluster():
    assert declare().inputs_of("interface-service")["spec"]["type"] == "ClusterIP"


def test_both_programs_are_probed_at_their_real_http_ports():
    ports = [container["readinessProbe"]["httpGet"]["port"] for container in pod_spec()["containers"]]
    assert ports == [8888, 6006]


def test_both_programs_together_stay_within_the_pods_share_of_its_node():
    limits = [container["resources"]["limits"] for container in pod_spec()["containers"]]
    assert sum(int(limit["cpu"].removesuffix("m")) for limit in limits) <= SMALL.cpu_millicores
    assert sum(int(limit["memory"].removesuffix("Mi")) for limit in limits) <= SMALL.memory_mib


def test_tensorboard_cannot_change_the_runs_that_it_shows():
    _, tensorboard = pod_spec()["containers"]
    (mount,) = (mount for mount in tensorboard["volumeMounts"] if mount["name"] == "runs")
    assert mount["readOnly"] is True


def test_the_old_pod_leaves_before_the_new_one_wants_the_volume():
    assert deployment_spec(InterfaceArgs(**ARGS), "if-token")["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(InterfaceArgs)])
def test_no_argument_is_without_effect(field):
    other = {
        "role": "interface",
        "namespace": "other",
        "image": "example.com/interface@sha256:2",
        "place": other_place(),
        "claim_name": "other",
        "notebook_port": 1,
        "tensorboard_port": 2,
    }[field]
    assert everything(declare(**{field: other})) != everything(declare())
