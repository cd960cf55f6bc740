"""The scheduled call that deletes the cluster."""

import pulumi

from components.gcp.dead_man_switch import DeadManSwitch, DeadManSwitchArgs
from tests.components.gcp.computed import OWNER, google_recorder
from tests.components.mocks import declared


def switch():
    def build():
        DeadManSwitch(
            "switch",
            DeadManSwitchArgs(
                project="demo-project",
                region="us-central1",
                zone="us-central1-a",
                name="tfcluster-gke-free",
                account_id="tfcluster-gke-free-reap",
                owner=pulumi.Output.from_input(OWNER),
                description="of stack gke-free",
                ttl_hours=12,
            ),
        )

    return declared(build, google_recorder())


def test_it_deletes_this_cluster_and_no_other():
    target = switch().inputs_of("switch-call")["httpTarget"]
    path = "projects/demo-project/locations/us-central1-a/clusters/tfcluster-gke-free"
    assert target["uri"] == f"https://container.googleapis.com/v1/{path}"
    assert target["httpMethod"] == "DELETE"


def test_its_account_may_delete_clusters_and_nothing_else():
    found = switch()
    assert found.inputs_of("switch-role")["permissions"] == ["container.clusters.delete"]
    assert found.inputs_of("switch-account-role-0")["role"] == "projects/p/roles/r"
    grants = [kind for kind, _ in found.inventory() if kind.endswith("IAMMember")]
    assert len(grants) == 1


def test_each_life_of_a_stack_has_a_role_of_its_own():
    assert switch().inputs_of("switch-role")["roleId"] == f"tfcluster_reaper_{OWNER}"


def test_the_moment_is_told_in_utc_and_comes_from_the_deadline():
    found = switch()
    assert found.inputs_of("switch-deadline") == {"ttlHours": 12}
    call = found.inputs_of("switch-call")
    assert call["schedule"] == "5 6 1 12 *"
    assert call["timeZone"] == "Etc/UTC"


def test_a_cluster_that_is_busy_is_tried_again_for_a_while():
    retries = switch().inputs_of("switch-call")["retryConfig"]
    assert retries["retryCount"] == 5
    assert retries["minBackoffDuration"] == "120s"
