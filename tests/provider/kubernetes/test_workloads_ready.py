import pytest

from provider.kubernetes.workloads_ready import (
    Inputs,
    Outputs,
    WorkloadsReady,
    current_ready,
    outdated,
    rescaled,
)
from provider.resource import State
from tests.provider.kubernetes.objects import pod

INPUTS = Inputs(
    kubeconfig="",
    namespace="tf",
    stateful_sets={"master": 1, "worker": 2},
    deployments={"if": 1},
    revision="1",
    setting_names={},
    timeout_s=60,
)


def stateful_set(*, ready, updated, current="a", update="a", observed=2):
    return {
        "metadata": {"generation": 2},
        "status": {
            "observedGeneration": observed,
            "readyReplicas": ready,
            "updatedReplicas": updated,
            "currentRevision": current,
            "updateRevision": update,
        },
    }


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        (None, 0),
        (stateful_set(ready=2, updated=2), 2),
        (stateful_set(ready=2, updated=0), 2),
        (stateful_set(ready=2, updated=1, update="b"), 1),
        (stateful_set(ready=2, updated=2, observed=1), 0),
    ],
)
def test_only_pods_of_the_newest_template_count(workload, expected):
    assert current_ready(workload, is_stateful=True) == expected


def revised(revision, *, is_ready=False, is_leaving=False):
    made = pod(conditions=[{"type": "Ready", "status": str(is_ready)}])
    made["metadata"]["labels"]["controller-revision-hash"] = revision
    if is_leaving:
        made["metadata"]["deletionTimestamp"] = "2026-11-30T06:00:00Z"
    return made


def test_a_broken_pod_of_an_earlier_template_must_go_and_no_other():
    changed = stateful_set(ready=0, updated=0, current="old", update="new")
    assert outdated(changed, [revised("old")]) == ["worker-0"]
    spared = [revised("new"), revised("old", is_ready=True), revised("old", is_leaving=True)]
    assert outdated(changed, spared) == []
    not_noted = stateful_set(ready=0, updated=0, current="old", update="new", observed=1)
    assert outdated(not_noted, [revised("old")]) == []


def test_a_deployments_old_pods_do_not_count():
    assert current_ready(stateful_set(ready=1, updated=0), is_stateful=False) == 0


@pytest.mark.parametrize(("pods", "is_waited_for"), [(4, False), (3, True)])
def test_pods_that_a_refresh_found_missing_are_waited_for_again(pods, is_waited_for):
    diff = WorkloadsReady().diff(State("tf", INPUTS, Outputs(pods=pods)), INPUTS)
    assert bool(diff.changed) is is_waited_for


@pytest.mark.parametrize(("found", "is_fault"), [(1, True), (2, False), (3, False)])
def test_a_workload_that_somebody_set_to_fewer_pods_is_a_fault(found, is_fault):
    fault = rescaled("worker", {"spec": {"replicas": found}}, wanted=2)
    assert (fault is not None) == is_fault
    assert not fault or fault.sentence.startswith("has been set to 1 of 2 pods by somebody else")
