"""Every setting of the cluster's machines reaches the plan."""

import dataclasses

import pytest

from stacks.capacity.from_settings import plan_request
from stacks.capacity.planner import decide
from stacks.capacity.quotas import TRIAL
from stacks.capacity.report import text
from stacks.settings import CapacitySettings, parse, setting_key
from stacks.stack_file import stack_values
from tests.stacks.capacity.asked import PROJECT, ROOMY

OTHER_VALUES = {
    "zone": "europe-west4-b",
    "machineType": "n1-standard-4",
    "nodeSharing": "none",
    "workerCpuMillicores": "500",
    "diskType": "pd-standard",
    "diskGb": "60",
    "runsDiskGb": "20",
    "vcpuBudget": "16",
    "fit": "true",
    "spot": "true",
    "maxSurge": "1",
    "privateNodes": "false",
    "cloudLogging": "false",
}


def report(**changes: str) -> str:
    values = stack_values(PROJECT, "gke-free") | changes
    return text(decide(plan_request(parse(values, "gke-free"), "gke-free"), ROOMY))


def test_every_setting_of_the_group_is_tried():
    keys = {setting_key(field.name) for field in dataclasses.fields(CapacitySettings)}
    assert keys == set(OTHER_VALUES)


@pytest.mark.parametrize("key", sorted(OTHER_VALUES.keys() - {"fit"}))
def test_a_changed_setting_changes_the_plan(key):
    assert report(**{key: OTHER_VALUES[key]}) != report()


def test_fit_changes_what_happens_to_too_many_workers():
    many = {"workers": "9", "machineType": "n1-standard-1", "nodeSharing": "services"}
    assert report(**many, fit="true") != report(**many)


@pytest.mark.parametrize(("key", "value"), [("workers", "4"), ("steps", "500"), ("batchSize", "300")])
def test_the_trainings_settings_count_too(key, value):
    assert report(**{key: value}) != report()


def test_with_auto_the_plan_is_for_the_most_workers():
    values = stack_values(PROJECT, "gke-free") | {"workers": "auto", "workersMax": "5"}
    assert plan_request(parse(values, "gke-free"), "gke-free").workers == 5


@pytest.mark.parametrize("stack", ["gke-free", "gke"])
def test_the_shipped_stacks_fit_the_free_trial(stack):
    settings = parse(stack_values(PROJECT, stack), stack)
    assert "It fits." in text(decide(plan_request(settings, stack), TRIAL))
