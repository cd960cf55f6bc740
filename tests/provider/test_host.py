"""The framework, seen through the real engine with a small resource of the tests."""

import os
import shutil
import subprocess

import pytest

from tests.engine import CHECKOUT

TOY_PROVIDER = CHECKOUT / "tests" / "provider" / "toy"
PROGRAM = """
    import pulumi

    config = pulumi.Config()


    class Toy(pulumi.CustomResource):
        length: pulumi.Output[int]
        shout: pulumi.Output[str]

        def __init__(self, name, **inputs):
            super().__init__("tfcluster:index:Toy", name, {"length": None, "shout": None, **inputs})


    text = config.require_secret("text") if config.get("hide") else config.require("text")
    manner = config.get("manner") or "obey"
    count = config.get_int("count") or 0
    first = Toy("first", path=config.require("path"), text=text, count=count, manner=manner)
    second = Toy("second", path=config.require("path") + ".second", text=first.shout)
    pulumi.export("length", first.length)
"""


@pytest.fixture
def toy(engine, tmp_path):
    """A stack of two toys; the second's input is the first's output."""
    engine.write(PROGRAM, TOY_PROVIDER)
    engine.configure(path=str(tmp_path / "file"), text="hello")
    return engine


def test_a_preview_shows_what_is_not_known_yet_and_makes_nothing(toy, tmp_path):
    shown = toy.preview().checked().text
    assert "text: [unknown]" in shown
    assert not (tmp_path / "file").exists()


def test_resources_are_made_kept_changed_found_missing_and_taken_away(toy, tmp_path):
    toy.up().checked()
    assert (tmp_path / "file.second").read_text() == "HELLO"
    assert toy.outputs() == {"length": 5}

    assert "3 unchanged" in toy.up().checked().text

    toy.configure(text="bye")
    assert "[diff: ~text]" in toy.up().checked().text
    assert (tmp_path / "file.second").read_text() == "BYE"

    (tmp_path / "file").unlink()
    assert "1 deleted" in toy.refresh().checked().text
    assert "1 created" in toy.up().checked().text

    toy.configure(path=str(tmp_path / "other"))
    assert "2 replaced" in toy.up().checked().text
    assert not (tmp_path / "file").exists()

    toy.destroy().checked()
    assert not (tmp_path / "other").exists()


def test_secret_inputs_and_outputs_are_encrypted_in_the_state(toy):
    toy.configure(hide="yes")
    toy.up().checked()
    outputs = toy.resources()["first"]["outputs"]
    assert "ciphertext" in outputs["text"]
    assert "ciphertext" in outputs["shout"]
    assert outputs["length"] == 5


def test_all_problems_of_the_inputs_come_in_one_answer(toy):
    toy.configure(text="", count=-2)
    ended = toy.up()
    assert ended.code != 0
    assert "text is empty: write something" in ended.text
    assert "count=-2 is negative: use 0 or more" in ended.text


def test_an_error_for_the_user_arrives_as_its_message_alone(toy):
    toy.configure(manner="fail")
    ended = toy.up()
    assert ended.code != 0
    assert "error: the toy won't: set manner to obey\n" in ended.text
    assert not {"Traceback", "Unexpected", "ProviderError"} & set(ended.text.replace(":", " ").split())
    assert "first" not in toy.resources(), "a failed create leaves nothing in the state"


def test_a_defect_names_the_resource_and_the_log_that_has_the_traceback(toy, tmp_path):
    toy.configure(manner="crash")
    ended = toy.up()
    assert ended.code != 0
    defect = (
        "first: unexpected KeyError: 'lost'. This is a defect of tfcluster:index:Toy; its traceback is in"
    )
    assert f"{defect} {tmp_path}/provider.log\n" in ended.text
    assert "Traceback" not in ended.text
    assert "in _write" in (tmp_path / "provider.log").read_text()


def test_a_folder_that_is_not_there_is_named_and_no_defect(toy, tmp_path):
    missing = tmp_path / "nowhere" / "file"
    toy.configure(path=str(missing))
    ended = toy.up()
    assert ended.code != 0
    assert f"error: first: [Errno 2] No such file or directory: '{missing}'. The details are in" in ended.text


def test_progress_appears_on_the_resources_own_row(toy):
    toy.configure(manner="chat")
    text = toy.up().checked().text
    rows = [line for line in text.splitlines() if "Toy first" in line]
    assert any("fleeting" in row for row in rows)
    diagnostics = text[text.index("Diagnostics:") :]
    assert "staying" in diagnostics
    assert "warning: worrying" in diagnostics
    assert "fleeting" not in diagnostics
    assert len([row for row in rows if "fleeting" in row]) <= 6, "thirty lines in three seconds are throttled"


def test_an_interrupt_ends_a_running_create_and_the_next_up_works(toy):
    toy.configure(manner="wait")
    up = toy.start("up", "--yes", "--skip-preview")
    up.wait_for("waiting now")
    up.interrupt()
    ended = up.wait()
    assert ended.code != 0
    assert "error: first: interrupted" in ended.text
    toy.configure(manner="obey")
    toy.up().checked()


def test_a_resource_that_does_not_hear_the_interrupt_is_given_up(toy):
    toy.configure(manner="deaf")
    up = toy.start("up", "--yes", "--skip-preview")
    up.wait_for("deaf now")
    up.interrupt()
    ended = up.wait()
    assert ended.code != 0
    assert "didn't stop within 3 s; run `pulumi refresh`" in ended.text


def test_unknown_missing_and_mistyped_inputs_are_named(toy):
    toy.rewrite(PROGRAM.replace("text=first.shout", 'txt="x"'))
    shown = toy.up().text
    assert "property txt value {x} has a problem: is no input of this resource: it has count, manner" in shown
    assert "missing required property 'text'" in shown or "property text" in shown
    toy.rewrite(PROGRAM.replace('config.get_int("count") or 0', '"many"'))
    assert "Expected `int`, got `str` - at `$.count`" in toy.up().text


def test_without_its_virtual_environment_the_provider_says_what_to_run(engine, tmp_path):
    elsewhere = tmp_path / "checkout" / "provider"
    elsewhere.mkdir(parents=True)
    shutil.copy(CHECKOUT / "provider" / "pulumi-resource-tfcluster", elsewhere)
    engine.write(PROGRAM, elsewhere)
    engine.configure(path=str(tmp_path / "file"), text="x")
    ended = engine.up()
    assert ended.code != 0
    sentence = f"tfcluster: {tmp_path}/checkout/.venv is missing: run `make setup` or `pulumi install` in "
    assert sentence in ended.text


def test_the_provider_runs_from_its_own_environment_whatever_is_on_path(tmp_path):
    bait = tmp_path / "python"
    bait.write_text("#!/bin/sh\necho bait\n")
    bait.chmod(0o755)
    command = [CHECKOUT / "provider" / "pulumi-resource-tfcluster", "127.0.0.1:1"]
    log = {"TFCLUSTER_PROVIDER_LOG": str(tmp_path / "log")}
    environment = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin", **log}
    started = subprocess.Popen(command, cwd="/", stdout=subprocess.PIPE, text=True, env=environment)
    with started:
        assert started.stdout
        port = started.stdout.readline()
        started.terminate()
    assert int(port) > 0
    assert started.returncode == 0
