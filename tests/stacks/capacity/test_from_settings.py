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
    many = {
        "workers": "9",
        "machineType": "n1-standard-1",
        "nodeSharing": "services",
        "workerCpuMillicores": "0",
    }
    assert report(**many, fit="true") != report(**many)


@pytest.mark.parametrize(("key", "value"), [("workers", "4"), ("steps", "500"), ("batchSize", "300")])
def test_the_trainings_settings_count_too(key, value):
    assert report(**{key: value}) != report()


def test_with_auto_the_plan_is_for_the_most_workers():
    values = stack_values(PROJECT, "gke-free") | {"workers": "auto", "workersMax": "5"}
    assert plan_request(parse(values, "gke-free"), "gke-free").workers == 5


def test_the_shipped_free_stack_fits_the_free_trial():
    settings = parse(stack_values(PROJECT, "gke-free"), "gke-free")
    assert "It fits." in text(decide(plan_request(settings, "gke-free"), TRIAL))


def test_the_shipped_paid_stack_fits_its_budget():
    settings = parse(stack_values(PROJECT, "gke"), "gke")
    assert "It fits." in text(decide(plan_request(settings, "gke"), ROOMY))


@pytest.mark.parametrize("kind", ["interface", "training", "master", "worker"])
@pytest.mark.parametrize("setting", ["CpuMillicores", "MemoryMib"])
def test_the_size_of_every_pod_counts(kind, setting):
    assert report(**{f"{kind}{setting}": "700"}) != report()
