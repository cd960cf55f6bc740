import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.settings import RunSettings, SettingsError

MEMBERS = "file:/tmp/members.json"


def test_settings_survive_being_written_and_read() -> None:
    settings = RunSettings(
        members="dns:master=master.ns:2222,worker=worker.ns:2222", steps=7, learning_rate=0.5, resume=True
    )
    assert RunSettings.from_json(settings.to_json()) == settings


def test_only_members_must_be_given() -> None:
    assert RunSettings.from_json(json.dumps({"members": MEMBERS})) == RunSettings(members=MEMBERS)


def test_unknown_keys_are_refused_with_the_nearest_known_one_all_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        RunSettings.from_json('{"step": 3, "zzz": 1}')
    message = str(caught.value)
    assert "step is no setting of a run: did you mean steps?" in message
    assert "zzz is no setting of a run: known are batch_size," in message
    assert "members is missing" in message


def test_every_broken_rule_is_told_in_one_error() -> None:
    with pytest.raises(SettingsError) as caught:
        RunSettings(members="nowhere", steps=0, learning_rate=0.0, task="a-b", workers_min=3, workers_max=2)
    message = str(caught.value)
    for part in (
        "steps=0",
        "learning_rate=0.0",
        "members='nowhere'",
        "task='a-b'",
        "workers_min=3 and workers_max=2",
    ):
        assert part in message


def test_a_worker_without_an_example_is_refused() -> None:
    with pytest.raises(SettingsError, match="workers=7 is more than batch_size=6"):
        RunSettings(members=MEMBERS, workers=7, batch_size=6)


@pytest.mark.parametrize(
    ("key", "value"), [("steps", "two"), ("steps", True), ("steps", 1.5), ("resume", 1), ("task", None)]
)
def test_values_of_a_wrong_type_are_refused(key: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"{key}=.* must be of type"):
        RunSettings.from_json(json.dumps({"members": MEMBERS, key: value}))


@pytest.mark.parametrize("text", ["", "[]", "3", "{"])
def test_text_that_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        RunSettings.from_json(text)


def test_a_settings_file_that_is_missing_is_named(tmp_path) -> None:
    with pytest.raises(SettingsError, match=r"settings\.json can't be read: No such file"):
        RunSettings.read(tmp_path / "settings.json")


@given(
    st.sampled_from([field.name for field in dataclasses.fields(RunSettings)]),
    st.floats() | st.integers(-5, 5) | st.text(),
)
def test_any_value_is_taken_or_refused_by_name(name: str, value: object) -> None:
    try:
        settings = RunSettings(**{"members": MEMBERS, name: value})  # type: ignore[arg-type]
    except SettingsError as error:
        assert name in str(error)  # noqa: PT017  # both outcomes are legal
    else:
        assert RunSettings.from_json(settings.to_json()) == settings
