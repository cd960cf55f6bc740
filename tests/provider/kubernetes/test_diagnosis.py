from provider.kubernetes.diagnosis import Snapshot, findings, is_ready, pod_state
from provider.kubernetes.finding import Finding, as_lines
from tests.provider.kubernetes.objects import NAMES, UNSCHEDULABLE, event, node, pod

READY = {"type": "Ready", "status": "True"}
CLAIM = {"metadata": {"name": "runs"}, "status": {"phase": "Pending"}}
WITH_CLAIM = {"volumes": [{"name": "runs", "persistentVolumeClaim": {"claimName": "runs"}}]}


def diagnosed(**fields):
    return findings(Snapshot(**{"pods": [], "names": NAMES, **fields}))


def test_a_healthy_stack_has_no_findings():
    healthy = pod(node="a", phase="Running", conditions=[READY], container={"ready": True})
    assert diagnosed(pods=[healthy], nodes=[node("a")]) == []


def test_a_pod_that_has_not_been_looked_at_yet_is_no_fault():
    assert diagnosed(pods=[pod()], nodes=[node("a")]) == []


def test_a_lost_node_is_named_with_the_command_that_moves_the_pod():
    (found,) = diagnosed(pods=[pod(node="a", phase="Running")], nodes=[node("a", is_ready=False)])
    assert "is on the node a, which does not report since 2026-11-30T06:00:00Z" in found.sentence
    assert "`kubectl delete pod -n tf worker-0 --force`" in found.sentence


def test_without_the_right_to_read_nodes_no_node_is_called_lost():
    assert diagnosed(pods=[pod(node="a", phase="Running")]) == []


def test_a_quota_is_told_with_its_arithmetic():
    message = (
        'create Pod worker-1 in StatefulSet worker failed error: pods "worker-1" is forbidden: '
        "exceeded quota: stack, requested: limits.cpu=400m, used: limits.cpu=1800m, limited: limits.cpu=2"
    )
    (found,) = diagnosed(events=[event("FailedCreate", message, "worker")])
    assert found.subject == "worker"
    for part in (
        "the quota stack",
        "allows limits.cpu=2",
        "limits.cpu=1800m are used",
        "limits.cpu=400m were",
    ):
        assert part in found.sentence


def test_a_refusal_that_was_overcome_is_no_fault():
    made = pod(node="a")
    made["metadata"]["ownerReferences"] = [{"name": "worker"}]
    refused = event("FailedCreate", "exceeded quota", "worker")
    assert diagnosed(events=[refused], pods=[made], wanted={"worker": 1}) == []
    assert len(diagnosed(events=[refused], pods=[made], wanted={"worker": 2})) == 1


def test_a_refusal_by_pod_security_says_what_is_forbidden():
    message = 'violates PodSecurity "restricted:latest": runAsNonRoot != true (pod must not run as root)'
    (found,) = diagnosed(events=[event("FailedCreate", message, "worker")])
    assert "restricted:latest forbids runAsNonRoot != true" in found.sentence


def test_a_claim_without_a_volume_is_told_once_and_not_again_as_a_pod_without_a_node():
    refused = event("ProvisioningFailed", 'storageclass "fast" not found', "runs")
    pods = [pod(conditions=[UNSCHEDULABLE], **WITH_CLAIM)]
    (found,) = diagnosed(pods=pods, nodes=[node("a")], events=[refused], claims=[CLAIM])
    assert found.subject == "the claim runs"
    assert 'storageclass "fast" not found' in found.sentence
    assert "runsStorageClass" in found.sentence


def test_a_claim_that_waits_for_its_first_pod_is_no_fault():
    waiting = event("WaitForFirstConsumer", "waiting for first consumer", "runs")
    assert diagnosed(events=[waiting], claims=[CLAIM]) == []


def test_a_pod_about_to_leave_does_not_count_as_ready():
    leaving = pod(conditions=[READY])
    leaving["metadata"]["deletionTimestamp"] = "2026-11-30T06:00:00Z"
    assert not is_ready(leaving)
    assert is_ready(pod(conditions=[READY]))


def test_the_state_of_a_pod_is_told_in_a_few_words():
    assert pod_state(pod()) == "waits for a node"
    assert pod_state(pod(node="a")) == "is being started"
    assert pod_state(pod(node="a", conditions=[READY])) == "ready"
    assert (
        pod_state(pod(node="a", container={"state": {"waiting": {"reason": "ErrImagePull"}}}))
        == "ErrImagePull"
    )
    running = pod(node="a", phase="Running", container={"state": {"running": {}}})
    assert pod_state(running) == "running, its port is not open yet"


def test_the_same_fault_of_many_pods_is_one_line():
    found = [
        Finding(subject=f"worker-{number}", kind="memory", sentence="ran out of memory.", patience_s=0)
        for number in range(5)
    ]
    assert as_lines(found) == "  - each of worker-0, worker-1, worker-2 and 2 more ran out of memory."
