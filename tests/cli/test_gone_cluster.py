"""Whether a stack's cluster is gone: only Google's own word counts."""

import pytest

from cli import gone_cluster
from cli.gone_cluster import without_its_cluster
from stacks.stack_file import stack_values
from tests.engine import CHECKOUT
from tests.gcp_double import operations
from tests.gcp_double.cloud import PROJECT
from tests.gcp_double.clusters import CLUSTER
from tests.gcp_double.fixtures import cloud, google, server

__all__ = ["cloud", "google", "server"]

DROP = {"PULUMI_K8S_DELETE_UNREACHABLE": "true"}


@pytest.fixture(autouse=True)
def values(monkeypatch):
    """The shipped stack files with a project set, as a user's have; changes go in here."""
    changes = {"project": PROJECT}
    monkeypatch.setattr(
        gone_cluster, "stack_values", lambda _project, stack: stack_values(CHECKOUT, stack) | changes
    )
    return changes


def make_cluster(cloud, zone="us-central1-a"):
    with cloud.open() as state:
        state.enabled.append("container")
        operations.create(state, CLUSTER, {"name": "tfcluster-gke-free", "location": zone})


def test_a_cluster_that_google_does_not_have_is_gone_and_that_is_said(google, cloud, capsys):
    make_cluster(cloud)
    assert without_its_cluster("gke-free") == {}
    with cloud.open() as state:
        state.objects.clear()
    assert without_its_cluster("gke-free") == DROP
    assert "Google has no cluster of stack gke-free" in capsys.readouterr().out


def test_a_cluster_in_another_zone_than_the_setting_s_is_there(google, cloud, values):
    make_cluster(cloud, "us-central1-f")
    assert without_its_cluster("gke-free") == {}
    values["zone"] = "us-central1-f"
    assert without_its_cluster("gke-free") == {}


@pytest.mark.parametrize("status", [401, 403, 503])
def test_nothing_is_assumed_where_google_cannot_be_asked(google, server, status):
    server.answer_instead("GET /container", status, {}, Retry_After="0")
    assert without_its_cluster("gke-free") == {}


def test_other_stacks_and_a_stack_without_a_project_are_left_alone(values):
    assert without_its_cluster("local") == {}
    assert without_its_cluster("nowhere") == {}
    values["project"] = ""
    assert without_its_cluster("gke-free") == {}
