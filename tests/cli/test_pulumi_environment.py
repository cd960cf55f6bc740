import json
import stat

import pytest

from bootstrap.engine import EngineError
from cli import pulumi_environment as module
from cli.pulumi_environment import pulumi_environment


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A checkout without state on a machine with an engine."""
    monkeypatch.setattr(module, "STATE", tmp_path / ".state")
    monkeypatch.setattr(module, "find_engine", lambda: tmp_path / "engine")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".state"


def test_state_is_kept_in_the_checkout_by_default(state):
    variables = pulumi_environment({}, needs_plugins=False)
    assert variables["PULUMI_BACKEND_URL"] == f"file://{state}/pulumi"
    assert (state / "pulumi").is_dir()


def test_a_users_own_backend_wins(state):
    variables = pulumi_environment({"PULUMI_BACKEND_URL": "s3://mine"}, needs_plugins=False)
    assert variables["PULUMI_BACKEND_URL"] == "s3://mine"


def test_a_user_who_is_logged_in_keeps_that_backend(state, tmp_path):
    (tmp_path / ".pulumi").mkdir()
    (tmp_path / ".pulumi" / "credentials.json").write_text(json.dumps({"current": "https://api.pulumi.com"}))
    assert "PULUMI_BACKEND_URL" not in pulumi_environment({}, needs_plugins=False)


def test_a_user_who_logged_out_gets_the_default(state, tmp_path):
    (tmp_path / ".pulumi").mkdir()
    (tmp_path / ".pulumi" / "credentials.json").write_text(json.dumps({"current": ""}))
    assert "PULUMI_BACKEND_URL" in pulumi_environment({}, needs_plugins=False)


def test_the_passphrase_is_random_private_and_made_once(state):
    first = pulumi_environment({}, needs_plugins=False)["PULUMI_CONFIG_PASSPHRASE_FILE"]
    content = (state / "passphrase").read_text()
    pulumi_environment({}, needs_plugins=False)
    assert first == str(state / "passphrase")
    assert (state / "passphrase").read_text() == content
    assert len(content.strip()) >= 32
    assert stat.S_IMODE((state / "passphrase").stat().st_mode) == 0o600


@pytest.mark.parametrize("own", [{"PULUMI_CONFIG_PASSPHRASE": ""}, {"PULUMI_CONFIG_PASSPHRASE_FILE": "/x"}])
def test_a_users_own_passphrase_wins_even_the_empty_one(state, own):
    variables = pulumi_environment(own, needs_plugins=False)
    assert own.items() <= variables.items()
    assert not (state / "passphrase").exists()


def test_a_stack_without_plugins_downloads_none(state):
    assert (
        pulumi_environment({}, needs_plugins=False)["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] == "true"
    )
    assert "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION" not in pulumi_environment({}, needs_plugins=True)


def test_the_projects_python_and_engine_come_first_on_path(state, tmp_path):
    path = pulumi_environment({"PATH": "/usr/bin"}, needs_plugins=False)["PATH"].split(":")
    assert path[0].endswith("/.venv/bin")
    assert path[1:] == [str(tmp_path / "engine"), "/usr/bin"]


def test_without_an_engine_the_set_up_is_named(state, monkeypatch):
    monkeypatch.setattr(module, "find_engine", lambda: None)
    with pytest.raises(EngineError, match="Run `make setup`"):
        pulumi_environment({}, needs_plugins=False)


def test_a_proxy_does_not_come_between_the_program_and_its_engine(state):
    variables = pulumi_environment(
        {"https_proxy": "http://proxy:1", "no_proxy": "example.com"}, needs_plugins=False
    )
    assert variables["no_proxy"] == "example.com,127.0.0.1,localhost"
    assert variables["NO_PROXY"] == "127.0.0.1,localhost"
    assert "no_proxy" not in pulumi_environment({}, needs_plugins=False)
