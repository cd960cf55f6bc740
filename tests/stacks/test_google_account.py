"""What a stack learns of its project: quotas, machines, running pools and what is wrong, all at once."""

import pytest

from stacks.capacity.plan import Plan
from stacks.capacity.quotas import TRIAL
from stacks.google_account import plan_for, read_account
from stacks.settings import parse
from stacks.stack_file import stack_values
from stacks.topology import Role
from tests.engine import CHECKOUT
from tests.gcp_double import operations
from tests.gcp_double.cloud import PROJECT, Fault
from tests.gcp_double.clusters import CLUSTER, NODE_POOL, InitialisationError
from tests.gcp_double.fixtures import cloud, google, server

__all__ = ["cloud", "google", "server"]


def settings(**changes):
    return parse(stack_values(CHECKOUT, "gke-free") | {"project": PROJECT} | changes, "the test")


def test_live_quotas_carry_what_others_use(google, cloud):
    with cloud.open() as state:
        state.occupy("others", {"CPUS": 2})
    account = read_account(settings(), "gke-free")
    assert account.problems == []
    assert account.quotas.is_live
    assert (account.quotas.by_metric["CPUS"].limit, account.quotas.by_metric["CPUS"].in_use) == (8, 2)
    assert account.offered is not None
    assert "e2-standard-8" in account.offered


@pytest.mark.parametrize("status", [403, 503])
def test_quotas_that_cannot_be_read_are_a_free_trials_and_never_unlimited(google, server, status):
    server.answer_instead("GET /compute/.*/regions/", status, {}, Retry_After="0")
    account = read_account(settings(), "gke-free")
    assert account.quotas == TRIAL
    assert not account.quotas.is_live


def test_pools_that_run_are_told_in_the_plans_words(google, cloud):
    config = {
        "machineType": "e2-standard-4",
        "bootDisk": {"diskType": "pd-balanced", "sizeGb": 30},
        "labels": {"app-if": "true", "app-master": "true"},
        "taints": [{"key": "app-worker-only"}],
        "spot": True,
    }
    cluster = f"projects/{PROJECT}/locations/us-central1-a/clusters/tfcluster-gke-free"
    pool = {"name": "if-e2-standard-4", "cluster": cluster, "location": "us-central1-a", "nodeCount": 2}
    with cloud.open() as state:
        operations.create(state, CLUSTER, {"name": "tfcluster-gke-free", "location": "us-central1-a"})
        operations.create(state, NODE_POOL, {**pool, "nodeConfig": config} | {"nodeCount": 1})
    (running,) = read_account(settings(zone="us-central1-f"), "gke-free").running
    assert (running.key, running.machine_type, running.node_count) == ("if", "e2-standard-4", 1)
    assert running.roles == (Role.INTERFACE, Role.MASTER)
    assert (running.is_spot, running.is_tainted) == (True, True)
    assert (running.disk.type, running.disk.size_gb) == ("pd-balanced", 30)


def test_what_a_failed_creation_left_makes_way_for_the_stacks_own_pools(google, cloud):
    del google
    cluster = {
        "name": "tfcluster-gke-free",
        "location": "us-central1-a",
        "nodeConfig": {"machineType": "e2-medium"},
    }
    with cloud.open() as state:
        state.faults.append(vars(Fault(kind="fails-after-acceptance", on=CLUSTER)))
        with pytest.raises(InitialisationError):
            operations.create(state, CLUSTER, cluster)
    account = read_account(settings(), "gke-free")
    assert account.running == ()
    assert [pool.key for pool in account.temporary] == ["default-pool"]
    assert account.quotas.by_metric["CPUS"].in_use == 2
    assert isinstance(plan_for(settings(machineType="e2-standard-8"), "gke-free", account), Plan)


def test_a_zone_that_does_not_exist_is_a_problem_with_those_that_do(google):
    (problem,) = read_account(settings(zone="us-central1-z"), "gke-free").problems
    assert problem.startswith("zone: zone=us-central1-z does not exist")
    assert "us-central1-a, us-central1-b, us-central1-c, us-central1-f" in problem


def test_a_region_that_does_not_exist_is_a_problem_too(google):
    (problem,) = read_account(settings(zone="us-nowhere1-a"), "gke-free").problems
    assert problem.startswith("zone: zone=us-nowhere1-a does not exist")
    assert "gcloud compute zones list" in problem


def test_a_zone_that_cannot_be_asked_about_is_no_problem_of_the_zones(google, server):
    server.answer_instead("GET /compute/.*/machineTypes", 503, {}, Retry_After="0")
    account = read_account(settings(), "gke-free")
    assert account.problems == []
    assert account.offered is None


def test_a_project_that_is_not_set_is_a_problem_with_its_command():
    (problem,) = read_account(settings(project=""), "gke-free").problems
    assert "pulumi config set project <id>" in problem


def test_missing_credentials_are_a_problem_with_their_command(monkeypatch, tmp_path):
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    (problem,) = read_account(settings(), "gke-free").problems
    assert "gcloud auth application-default login" in problem


def test_everything_wrong_is_found_at_once(google, server, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent")
    server.refuse("GET /cloudresourcemanager", 404, "not found")
    server.answer_instead("GET /cloudbilling", 200, {"billingEnabled": False})
    problems = read_account(settings(imageBuilder="docker"), "gke-free").problems
    assert [problem.partition(":")[0] for problem in problems] == ["project", "billing", "image builder"]


def test_prebuilt_images_are_checked_by_name(google):
    problems = read_account(
        settings(imageBuilder="prebuilt", serverImage="gcr.io/p/server"), "gke-free"
    ).problems
    assert "docker.pkg.dev" in problems[0]
    assert "interfaceImage" in problems[1]
