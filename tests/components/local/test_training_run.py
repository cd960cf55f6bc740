import pytest

from components.local.training_run import TrainingRun, TrainingRunArgs
from tests.components.mocks import declared

ARGS = {
    "settings": {"steps": 10},
    "code_hash": "abc",
    "run_id": "",
    "runs_dir": "/runs",
    "state_dir": "/state",
    "wait": True,
}


def declare(**changes):
    return declared(lambda: TrainingRun("training", TrainingRunArgs(**{**ARGS, **changes})))


def test_a_run_is_one_component_with_one_resource():
    assert declare().inventory() == [
        ("tfcluster:index:LocalRun", "training-run"),
        ("tfcluster:index:TrainingRun", "training"),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("settings", {"steps": 11}),
        ("code_hash", "def"),
        ("run_id", "again"),
        ("runs_dir", "/other"),
        ("state_dir", "/other"),
        ("wait", False),
    ],
)
def test_no_argument_is_without_effect(field, value):
    assert declare(**{field: value}).inputs_of("training-run") != declare().inputs_of("training-run")
