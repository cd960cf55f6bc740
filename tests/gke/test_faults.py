"""What goes wrong on the way, in GKE stacks of the free trial: what is said, and that the next `up` goes on.

Tests that share a stack follow each other.
"""

import re
import signal
import time

import pytest

from tests.gcp_double.cloud import PROJECT, Fault
from tests.gcp_double.clusters import CLUSTER, NODE_POOL
from tests.gcp_double.operations import create

NETWORK = "gcp:compute/network:Network"
CLUSTER_ID = f"projects/{PROJECT}/locations/us-central1-a/clusters/tfcluster-gke-free"
QUOTA = (
    'googleapi: Error 403: Insufficient regional quota to satisfy request: resource "CPUS": request requires'
    " '8.0' and is short '2.0'. project has a quota of '8.0' with '6.0' available."
)


@pytest.fixture(scope="module")
def new(make_stack):
    return make_stack("gke-free")


@pytest.fixture(scope="module")
def half_made(make_stack):
    return make_stack("gke-free")


@pytest.fixture(scope="module")
def displaced(make_stack):
    return make_stack("gke-free")


def pools(stack):
    return [key for key in stack.cloud.read().objects if "/nodePools/" in key]


def test_a_plan_that_does_not_fit_creates_nothing(new):
    new.configure(machineType="e2-standard-8")
    with new.cloud.open() as state:
        state.occupy("others", {"CPUS": 2, "CPUS_ALL_REGIONS": 2})
    refused = new.up()
    assert refused.code != 0
    assert "REFUSED" in refused.text
    assert new.cloud.read().objects == {}
    assert list(new.resources()) == ["tfcluster-gke-free"], "the stack itself"
    with new.cloud.open() as state:
        state.release("others")


def test_an_api_enabled_moments_ago_is_tried_again_and_a_quota_that_google_refuses_is_told(new):
    new.cloud.inject(*(Fault(kind="not-enabled", on=token) for token in (NETWORK, CLUSTER)))
    new.cloud.inject(Fault(kind="refused", on=NODE_POOL, message=QUOTA))
    failed = new.up()
    events = new.events()
    assert [event for event in events if NETWORK in event] == [f"create {NETWORK} network-vpc"] * 2
    assert [event for event in events if CLUSTER in event] == [f"create {CLUSTER} gke-cluster"] * 2
    assert failed.code != 0
    assert "resource \"CPUS\": request requires '8.0' and is short '2.0'" in failed.text
    assert pools(new) == []


def test_the_next_up_goes_on_where_the_refused_one_ended(new):
    new.up().checked()
    assert len(pools(new)) == 1
    assert not any(CLUSTER in event or NETWORK in event for event in new.events())
    assert new.outputs()["status"] == "succeeded"


def test_what_survives_the_stack_makes_destroy_fail_by_name(new):
    disk, rule = f"pvc-{new.cloud.read().cluster_uid[:8]}", "gke-tfcluster-gke-free-0123abcd-all"
    new.cloud.inject(Fault(kind="orphan-disk", on=CLUSTER, operation="delete"))
    with new.cloud.open() as state:
        state.leftovers["firewalls"] = [{"name": rule}]
    failed = new.destroy()
    assert failed.code != 0
    assert "not everything of this stack is gone; 1 left" in failed.text
    assert f"gcloud compute firewall-rules delete {rule}" in failed.text
    assert "deleted disk pvc-0001 in us-central1-a, whose cluster is gone" in failed.text
    assert f"deleted disk {disk}" not in failed.text, "the cluster had the time to do that itself"
    with new.cloud.open() as state:
        assert state.leftovers.pop("disks") == []
        state.leftovers.clear()
    assert f"nothing of this stack is left in {PROJECT}" in new.destroy().checked().text


def test_a_creation_that_fails_after_it_was_accepted_leaves_no_temporary_pool_behind(half_made):
    half_made.cloud.inject(Fault(kind="fails-after-acceptance", on=CLUSTER, message="internal error"))
    failed = half_made.up()
    assert failed.code != 0
    assert "internal error" in failed.text
    assert pools(half_made) == [f"{CLUSTER_ID}/nodePools/default-pool"]
    done = half_made.up().checked()
    assert "a failed creation left default-pool in the cluster; it is deleted now" in done.text
    assert "default-pool" not in "".join(pools(half_made))
    assert half_made.peaks()["CPUS"] <= 8, "the temporary pool made way before ours were made"


def test_a_cluster_that_was_deleted_by_hand_is_found_missing(half_made):
    with half_made.cloud.open() as state:
        for key in [key for key in state.objects if key.startswith(CLUSTER_ID)]:
            del state.objects[key]
        state.use = {key: use for key, use in state.use.items() if not key.startswith(CLUSTER_ID)}
        state.in_cluster.clear()
        state.events.clear()
    missing = half_made.up()
    assert missing.code != 0
    assert "PULUMI_K8S_DELETE_UNREACHABLE=true pulumi refresh" in missing.text
    refused = half_made.destroy()
    assert refused.code != 0
    assert "PULUMI_K8S_DELETE_UNREACHABLE=true pulumi destroy" in refused.text
    assert [event for event in half_made.events() if event.startswith("delete")] == []


def test_down_finds_out_by_itself_that_the_cluster_is_gone_and_ends_well(half_made):
    down = half_made.tfcluster("down").checked()
    assert "Google has no cluster of stack gke-free" in down.text
    assert re.search(r"deleted disk pvc-\w+ in us-central1-a, whose cluster is gone", down.text)
    assert f"nothing of this stack is left in {PROJECT}" in down.text
    assert half_made.cloud.read().objects == {}


def test_somebody_elses_cluster_of_that_name_is_left_alone(displaced):
    foreign = {"name": "tfcluster-gke-free", "location": "us-central1-a", "resourceLabels": {"team": "other"}}
    with displaced.cloud.open() as state:
        state.enabled.append("container")
        create(state, CLUSTER, foreign)
    failed = displaced.up()
    assert failed.code != 0
    assert "it is not made by this project: nothing was changed" in failed.text
    with displaced.cloud.open() as state:
        assert state.objects.pop(CLUSTER_ID)["inputs"]["resourceLabels"] == {"team": "other"}


def test_a_sold_out_zone_names_others_at_once_and_another_zone_works(displaced):
    displaced.events()
    displaced.cloud.inject(Fault(kind="stock-out", on=NODE_POOL, message="not enough resources available"))
    failed = displaced.up()
    assert failed.code != 0
    assert "a stock-out, not a quota" in failed.text
    assert "us-central1-b, us-central1-c, us-central1-f" in failed.text
    assert len([event for event in displaced.events() if event.startswith(f"create {NODE_POOL}")]) == 1
    displaced.destroy().checked()
    displaced.configure(zone="us-central1-c")
    displaced.up().checked()
    assert all("/us-central1-c/" in key for key in pools(displaced))


def test_an_interrupted_creation_is_taken_over_by_the_next_up(make_stack):
    stack = make_stack("gke-free")
    stack.cloud.inject(Fault(kind="slow", on=CLUSTER, seconds=120))
    running = stack.start("up", "--yes", "--skip-preview")
    deadline = time.monotonic() + 200
    while CLUSTER_ID not in stack.cloud.read().objects and time.monotonic() < deadline:
        time.sleep(0.2)
    running.process.send_signal(signal.SIGINT)
    time.sleep(1)
    running.process.send_signal(signal.SIGINT)
    assert running.wait().code != 0
    assert CLUSTER_ID in stack.cloud.read().objects, "Google goes on with what it accepted"
    assert "gke-cluster" not in stack.resources()
    done = stack.up().checked()
    assert "was left behind by an interrupted `up`" in done.text
    assert stack.outputs()["status"] == "succeeded"
