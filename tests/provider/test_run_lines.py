"""The training program's lines in the words of the stack's user."""

import dataclasses
import re

import pytest
import yaml

from provider.run_lines import SETTINGS, in_users_words
from tests.engine import CHECKOUT
from training.settings import RunSettings


def stack_settings():
    return yaml.safe_load((CHECKOUT / "Pulumi.yaml").read_text())["config"].keys()


def test_settings_of_the_program_are_called_as_the_user_knows_them():
    said = "no worker answers after 5 s. Start them, or raise cluster_wait_s"
    assert in_users_words(said) == "no worker answers after 5 s. Start them, or raise clusterWaitSeconds"
    assert in_users_words("lower batch_size.") == "lower batchSize."
    assert in_users_words("train_timeout_s=5: too short") == "trainTimeoutSeconds=5: too short"


@pytest.mark.parametrize("line", ["/data/batch_size/x", "batch_size.py", "my_batch_size", "batch_sizes"])
def test_a_name_within_another_one_is_left_alone(line):
    assert in_users_words(line) == line


def test_every_name_that_the_user_gets_to_read_is_a_setting_of_the_stack():
    assert set(SETTINGS.values()) <= stack_settings()


def test_no_setting_that_stack_and_program_share_is_left_out():
    fields = [field.name for field in dataclasses.fields(RunSettings) if "_" in field.name]
    named = {name: _camel_case(re.sub("_s$", "_seconds", name)) for name in fields}
    assert {name: setting for name, setting in named.items() if setting in stack_settings()} == SETTINGS


def _camel_case(name):
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)
