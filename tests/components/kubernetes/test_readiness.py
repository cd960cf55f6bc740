import dataclasses

import pytest

from components.kubernetes.readiness import Readiness, ReadinessArgs
from tests.components.kubernetes.declaring import everything
from tests.components.mocks import declared

ARGS = {
    "kubeconfig": "kubeconfig",
    "namespace": "tf",
    "stateful_sets": {"worker": 2},
    "deployments": {"if": 1},
    "revision": "1",
    "setting_names": {},
    "timeout_s": 60,
}


def declare(**changes):
    return declared(lambda: Readiness("readiness", ReadinessArgs(**{**ARGS, **changes})))


def test_readiness_is_one_resource_of_the_projects_own():
    assert declare().inventory() == [
        ("tfcluster:index:Readiness", "readiness"),
        ("tfcluster:index:WorkloadsReady", "readiness-pods"),
    ]


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(ReadinessArgs)])
def test_no_argument_is_without_effect(field):
    other = {
        "kubeconfig": "another",
        "namespace": "other",
        "stateful_sets": {"worker": 3},
        "deployments": {},
        "revision": "2",
        "setting_names": {"worker": {"cpu": "workerCpu"}},
        "timeout_s": 61,
    }[field]
    assert everything(declare(**{field: other})) != everything(declare())
