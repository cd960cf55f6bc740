import dataclasses
import re
from pathlib import Path

import pulumi
import pytest

from stacks.settings import Settings, SettingsError, load, parse, rules, setting_key
from stacks.stack_file import declared_settings, default_values, stack_values

PROJECT = Path(__file__).resolve().parents[2]
SHIPPED_STACKS = sorted(path.name.split(".")[1] for path in (PROJECT / "stacks").glob("Pulumi.*.yaml"))


@pytest.fixture
def values() -> dict[str, str]:
    return default_values(PROJECT)


def test_every_setting_of_the_reader_is_declared_in_pulumi_yaml_and_the_reverse():
    assert set(rules()) == set(declared_settings(PROJECT))


def test_pulumi_yaml_declares_the_type_the_reader_expects():
    declared = {key: setting["type"] for key, setting in declared_settings(PROJECT).items()}
    assert declared == {key: rule.engine_type for key, rule in rules().items()}


def test_every_declaration_states_a_default_and_a_meaning():
    for key, setting in declared_settings(PROJECT).items():
        assert "default" in setting, key
        assert re.search(r"\w", setting["description"]), key


def test_the_declared_defaults_are_accepted(values):
    assert parse(values, "the defaults").workers == 6


@pytest.mark.parametrize("stack", SHIPPED_STACKS)
def test_every_shipped_stack_file_is_accepted(stack):
    assert isinstance(parse(stack_values(PROJECT, stack), stack), Settings)


def test_all_problems_are_reported_at_once_with_value_rule_and_fix(values):
    wrong = values | {
        "worker": "2",
        "workers": "two",
        "steps": "0",
        "waitForTraining": "maybe",
        "target": "gke_free",
        "learningRate": "0",
    }
    with pytest.raises(SettingsError) as error:
        parse(wrong, "stack local (stacks/Pulumi.local.yaml)")
    lines = str(error.value).splitlines()
    assert lines[0] == "Invalid settings of stack local (stacks/Pulumi.local.yaml); nothing was changed:"
    assert len(lines) == 7
    for expected in (
        "  - worker=2 is not a setting: did you mean `workers`? Run `pulumi config rm worker`",
        "  - workers=two is not a whole number: allowed are 1 to 1000, or `auto`.",
        "  - steps=0 is out of range: allowed are 1 to 10000000. Run `pulumi config set steps <value>`.",
        "  - waitForTraining=maybe is neither `true` nor `false`.",
        "  - target=gke_free is not allowed: choose one of gke, kubernetes, local.",
        "  - learningRate=0 is out of range: allowed are above 0, up to 10.",
    ):
        assert any(line.startswith(expected) for line in lines), expected


def test_a_contradiction_is_reported_with_both_values(values):
    with pytest.raises(SettingsError, match=r"workersMin=9 is above workersMax=6"):
        parse(values | {"workers": "auto", "workersMin": "9"}, "here")


def test_more_workers_than_examples_in_a_batch_are_refused(values):
    with pytest.raises(SettingsError, match=r"workers=7 is more than batchSize=6.* Lower workers to 6"):
        parse(values | {"workers": "7", "batchSize": "6"}, "here")


def test_a_worker_count_that_does_not_divide_the_batch_is_accepted(values):
    assert parse(values | {"workers": "7"}, "here").workers == 7


def test_automatic_workers_offer_as_many_servers_as_may_be_used(values):
    assert parse(values | {"workers": "auto", "workersMax": "9"}, "here").servers_offered == 9


def test_a_missing_value_is_named_with_the_command_that_sets_it(values):
    del values["steps"]
    with pytest.raises(SettingsError, match=r"steps is missing\. Run `pulumi config set steps <value>`"):
        parse(values, "here")


def test_a_setting_without_a_near_name_gets_no_suggestion(values):
    with pytest.raises(SettingsError) as error:
        parse(values | {"qqqqqq": "1"}, "here")
    assert "did you mean" not in str(error.value)


def test_user_mistakes_leave_the_program_as_run_errors():
    assert issubclass(SettingsError, pulumi.RunError)


def test_settings_cannot_be_changed_once_read(values):
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse(values, "here").workers = 3  # type: ignore[misc]


def test_the_running_program_reads_its_own_stacks_values(values):
    configured = {f"tfcluster:{key}": value for key, value in (values | {"workers": "4"}).items()}
    pulumi.runtime.set_all_config(configured | {"gcp:project": "other"})
    assert load().workers == 4


@pytest.mark.parametrize(
    ("field", "key"), [("workers", "workers"), ("cluster_wait_seconds", "clusterWaitSeconds")]
)
def test_a_setting_is_named_in_camel_case(field, key):
    assert setting_key(field) == key


def test_nobody_else_reads_the_configuration():
    reading = re.compile(r"pulumi\.Config\b|runtime\.config\b|get_config\b")
    readers = [
        str(path.relative_to(PROJECT))
        for folder in ("components", "stacks", "provider", "cli", "training")
        for path in (PROJECT / folder).rglob("*.py")
        if reading.search(path.read_text(encoding="utf-8"))
    ]
    assert readers == ["stacks/settings.py"]
