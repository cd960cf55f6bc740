"""Disks of volumes are waited for before their cluster goes, and only they."""

import pytest

from components.gcp import names
from provider.errors import InterruptedByUser
from provider.gcp import claimed_disks as module
from provider.gcp.claimed_disks import (
    OWNER_LABEL,
    ClaimedDisk,
    claimed_disks,
    delete_orphans,
    wait_until_deleted,
)
from provider.gcp.cluster_ready import ClusterReady, Inputs, Outputs
from provider.resource import State
from tests.gcp_double import operations
from tests.gcp_double.cloud import PROJECT
from tests.gcp_double.clusters import CLUSTER

ZONE = "us-central1-a"
LABELS = {"pulumi-stack": "gke-free", "tfcluster-owner": "0123abcd"}
DISK = {"name": "pvc-1", "zone": ZONE, "labels": {**LABELS, "goog-k8s-cluster-name": "tf"}}
OTHERS = [
    {"name": "gke-tf-main-1", "zone": ZONE, "labels": LABELS},
    {"name": "pvc-2", "zone": ZONE, "labels": {**LABELS, "tfcluster-owner": "89abcdef"}},
    {"name": "pvc-3", "zone": ZONE},
]


@pytest.fixture
def put(cloud):
    def put(*disks):
        with cloud.open() as state:
            state.leftovers["disks"] = list(disks)

    return put


@pytest.fixture
def goes_at_the_second_look(monkeypatch, put):
    """Lets the volumes' disks go while they are waited for; tells how often that was done."""
    pauses = []

    def pause(_operation, seconds):
        pauses.append(seconds)
        put(*OTHERS)

    monkeypatch.setattr(module.Operation, "sleep", pause)
    return pauses


def test_boot_disks_and_other_stacks_volumes_are_not_counted(google, put):
    put(DISK, *OTHERS)
    assert claimed_disks(google, LABELS) == [ClaimedDisk("pvc-1", ZONE)]


def test_a_disk_that_goes_soon_is_waited_for(google, put, operation, lines, goes_at_the_second_look):
    put(DISK, *OTHERS)
    wait_until_deleted(operation, google, LABELS)
    assert len(goes_at_the_second_look) == 1
    assert any("the volumes' disks to be deleted" in line and "pvc-1" in line for line in lines)


def test_a_disk_that_stays_is_named_and_holds_up_nothing(google, put, operation, lines):
    put(DISK)
    wait_until_deleted(operation, google, LABELS, deadline_s=0)
    assert "warning: the cluster has not deleted pvc-1 within 0 s; it is deleted all the same" in lines


def test_disks_that_cannot_be_looked_at_hold_up_nothing(google, server, operation, lines):
    server.answer_instead("GET /compute/.*/aggregated/disks", 403, {})
    wait_until_deleted(operation, google, LABELS)
    assert any("could not be looked at" in line for line in lines)


def test_the_user_may_interrupt_the_waiting(google, put, operation):
    put(DISK)
    operation.cancelled.set()
    with pytest.raises(InterruptedByUser):
        wait_until_deleted(operation, google, LABELS)


@pytest.mark.parametrize("has_cluster", [True, False])
def test_a_cluster_that_goes_is_given_the_time_and_one_that_is_gone_is_not(
    google, cloud, put, operation, goes_at_the_second_look, has_cluster
):
    put(DISK)
    with cloud.open() as state:
        state.enabled.append("container")
        if has_cluster:
            operations.create(state, CLUSTER, {"name": "tf", "location": ZONE})
    inputs = Inputs(project=PROJECT, zone=ZONE, name="tf", cluster="c", labels=LABELS)
    ClusterReady().delete(operation, State("c", inputs, Outputs(ready_cluster="c")))
    assert bool(goes_at_the_second_look) is has_cluster


def test_the_disk_of_a_volume_whose_cluster_is_gone_is_deleted_and_no_other(
    google, cloud, put, operation, lines
):
    put(DISK, *OTHERS)
    delete_orphans(operation, google, LABELS)
    assert cloud.read().leftovers["disks"] == OTHERS
    assert lines == [f"deleted disk pvc-1 in {ZONE}, whose cluster is gone"]


def test_a_disk_that_may_not_be_deleted_is_warned_of(google, server, put, operation, lines):
    put(DISK)
    server.refuse("DELETE /compute", 400, "The disk resource is already being used")
    delete_orphans(operation, google, LABELS)
    assert any(line.startswith("warning: ") and "already being used" in line for line in lines)


def test_the_label_of_a_stacks_life_is_the_components():
    assert OWNER_LABEL == names.OWNER_LABEL
