import pytest

from provider.kubernetes.scheduling import unschedulable
from tests.provider.kubernetes.objects import NAMES, UNSCHEDULABLE, node, pod


def sentence(wanted, nodes, others=()):
    found = unschedulable(wanted, nodes, [wanted, *others], "worker", NAMES)
    assert found is not None
    return found.sentence


def waiting(**fields):
    return pod(conditions=[UNSCHEDULABLE], **fields)


def test_too_little_cpu_is_told_with_what_is_asked_what_is_free_where_and_what_to_set():
    running = pod("other", cpu="1500m", node="b", phase="Running")
    said = sentence(waiting(cpu="1200m"), [node("a", cpu="1"), node("b", cpu="2")], [running])
    assert "finds no node for 1200m CPU" in said
    assert "a has 1000m of 1000m CPU free" in said
    assert "b has 500m of 2000m CPU free" in said
    assert said.endswith("Lower workerCpuMillicores to at most 1000, or add a node.")


def test_pods_that_have_ended_take_no_room():
    ended = pod("other", cpu="1500m", node="a", phase="Succeeded")
    said = sentence(waiting(cpu="3"), [node("a", cpu="2")], [ended])
    assert "a has 2000m of 2000m CPU free" in said


def test_too_little_memory_names_the_memory_setting():
    said = sentence(waiting(memory="8Gi"), [node("a", memory="4Gi")])
    assert "a has 4096 of 4096 MiB memory free" in said
    assert "Lower workerMemoryMib to at most 4096" in said


def test_no_more_memory_is_advised_than_a_node_has():
    said = sentence(waiting(memory="8Gi"), [node("a", memory="4194800Ki")])
    assert "Lower workerMemoryMib to at most 4096" in said


def test_a_full_cluster_is_not_answered_by_a_request_of_nothing():
    running = pod("other", cpu="2", node="a", phase="Running")
    said = sentence(waiting(cpu="100m"), [node("a", cpu="2")], [running])
    assert said.endswith("Start fewer pods, or add a node.")


def test_a_missing_label_is_answered_with_the_command_that_sets_it():
    said = sentence(waiting(nodeSelector={"pool": "work"}), [node("a", labels={"pool": "home"})])
    assert "a has no label pool=work" in said
    assert "`kubectl label node a pool=work`" in said
    assert "workerNodeSelector" in said


def test_a_taint_is_told_in_the_form_in_which_the_setting_wants_it():
    taint = {"key": "work", "value": "tf", "effect": "NoSchedule"}
    said = sentence(waiting(), [node("a", taints=[taint])])
    assert "a has the taint work=tf:NoSchedule" in said
    assert said.endswith("Add work=tf:NoSchedule to tolerations, or remove the taint from a node.")


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "work", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "work", "operator": "Equal", "value": "tf", "effect": "NoSchedule"},
    ],
)
def test_a_tolerated_taint_is_no_obstacle(toleration):
    taint = {"key": "work", "value": "tf", "effect": "NoSchedule"}
    said = sentence(waiting(cpu="9", tolerations=[toleration]), [node("a", taints=[taint])])
    assert "taint" not in said


def test_the_nearest_obstacle_decides_what_is_advised():
    nodes = [node("a", labels={"pool": "work"}, cpu="1"), node("b")]
    said = sentence(waiting(cpu="2", nodeSelector={"pool": "work"}), nodes)
    assert "Lower workerCpuMillicores to at most 1000" in said


def test_what_is_not_understood_is_passed_on_in_the_schedulers_words():
    assert "the scheduler says: 0/3 nodes are available" in sentence(waiting(), [node("a")])


def test_a_pod_that_was_not_refused_has_no_finding():
    assert unschedulable(pod(), [node("a")], [], "worker", NAMES) is None
    scheduled = {"type": "PodScheduled", "status": "True"}
    assert unschedulable(pod(conditions=[scheduled]), [node("a")], [], "worker", NAMES) is None
