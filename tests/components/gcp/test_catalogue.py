"""What holds for every component of the GKE stacks: it creates what is listed, and no argument is dead."""

import ast
import dataclasses
from pathlib import Path

import pulumi_docker_build as docker_build
import pytest

from components.gcp import docker_build as docker_component
from tests.components.gcp.catalogue import CATALOGUE
from tests.components.gcp.computed import google_recorder
from tests.components.kubernetes.declaring import everything
from tests.components.mocks import declared
from tests.engine import CHECKOUT

NOT_IN_INPUTS = {("docker build", "build_timeout_s")}
"""Arguments that become a resource's options, which the fake engine doesn't show."""


def declare(entry, *changed):
    def build():
        changes = {field: entry.changes()[field] for field in changed}
        entry.component("it", dataclasses.replace(entry.args(), **changes))

    return declared(build, google_recorder())


def arguments():
    return [
        (key, field.name)
        for key, entry in CATALOGUE.items()
        for field in dataclasses.fields(entry.args())
        if (key, field.name) not in NOT_IN_INPUTS
    ]


def test_every_component_is_listed():
    found = {
        node.name
        for file in Path(CHECKOUT, "components", "gcp").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base) == "pulumi.ComponentResource" for base in node.bases)
    }
    assert {entry.component.__name__ for entry in CATALOGUE.values()} == found


@pytest.mark.parametrize("key", CATALOGUE)
def test_it_creates_exactly_what_is_listed(key):
    found = {(kind.rpartition(":")[2], name) for kind, name in declare(CATALOGUE[key]).inventory()}
    assert {one for one in found if one[1] != "it"} == CATALOGUE[key].creates


@pytest.mark.parametrize(("key", "field"), arguments())
def test_another_argument_changes_what_is_declared(key, field):
    entry = CATALOGUE[key]
    assert everything(declare(entry, field)) != everything(declare(entry))


@pytest.mark.parametrize("build_timeout_s", [60, 3600])
def test_a_docker_build_may_take_so_long_and_no_longer(monkeypatch, build_timeout_s):
    limits = []

    class Spy(docker_build.Image):
        def __init__(self, name, *, opts, **arguments):
            limits.append(opts.custom_timeouts.create)
            super().__init__(name, opts=opts, **arguments)

    monkeypatch.setattr(docker_component.docker_build, "Image", Spy)
    args = CATALOGUE["docker build"].args
    declared(
        lambda: docker_component.DockerImages(
            "it", dataclasses.replace(args(), build_timeout_s=build_timeout_s)
        ),
        google_recorder(),
    )
    assert limits == [f"{build_timeout_s}s"] * 2
