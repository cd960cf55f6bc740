from hypothesis import given
from hypothesis import strategies as st

from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.shapes import Arrangement, NodeRoom, Shape
from stacks.capacity.system_pods import SystemPod
from stacks.capacity.untainted import place, shortfall, untainted_nodes
from tests.stacks.capacity.asked import ask


@given(
    cpus=st.lists(st.integers(1, 400), max_size=20),
    rooms=st.lists(st.integers(0, 1000), min_size=1, max_size=5),
)
def test_every_pod_is_placed_once_and_none_where_another_node_is_emptier(cpus, rooms):
    nodes = [NodeRoom("main", cpu=cpu, memory=10_000) for cpu in rooms]
    pods = [SystemPod("p", cpu, 1) for cpu in sorted(cpus, reverse=True)]
    place(pods, nodes)
    assert sum(node.cpu_system for node in nodes) == sum(cpus)
    for node in nodes:
        if node.cpu_system:
            last = min(cpus)
            assert node.cpu_for_ours + max(cpus) >= max(other.cpu_for_ours for other in nodes)
            assert node.cpu_system >= last


def test_pods_go_to_the_emptiest_node():
    nodes = [NodeRoom("main", cpu=500, memory=1000), NodeRoom("main", cpu=300, memory=1000)]
    place([SystemPod("large", 250, 10), SystemPod("small", 100, 10)], nodes)
    assert [node.cpu_system for node in nodes] == [250, 100]


def test_a_node_without_memory_for_a_pod_is_passed_over():
    nodes = [NodeRoom("main", cpu=900, memory=100), NodeRoom("main", cpu=500, memory=1000)]
    place([SystemPod("large", 250, 200), SystemPod("small", 100, 50)], nodes)
    assert [node.cpu_system for node in nodes] == [100, 250]


def test_memory_counts_as_much_as_cpu():
    node = NodeRoom("main", cpu=500, memory=1000)
    place([SystemPod("p", 1, 1001)], [node])
    assert not node.is_enough


def test_pool_main_grows_until_kubernetes_own_pods_have_room():
    small = MACHINE_TYPES["n1-standard-1"]
    nodes = untainted_nodes(ask(workers=6), Shape(Arrangement.APART, small, small, 1))
    assert [node.kinds for node in nodes[:2]] == [("interface", "training"), ("master",)]
    assert len(nodes) > 2
    assert not any(node.kinds for node in nodes[2:])
    assert all(node.is_enough for node in nodes)
    many = untainted_nodes(
        ask(workers=600), Shape(Arrangement.APART, MACHINE_TYPES["e2-standard-4"], small, 1)
    )
    assert len(many) > 5


def test_one_node_carries_all_that_is_not_a_worker_where_it_is_large_enough():
    nodes = untainted_nodes(
        ask(workers=6),
        Shape(Arrangement.APART, MACHINE_TYPES["e2-standard-2"], MACHINE_TYPES["n1-standard-1"], 1),
    )
    assert [node.kinds for node in nodes] == [("interface", "training", "master")]


def test_which_of_two_single_nodes_gets_more_of_kubernetes_own_is_not_relied_on():
    one = MACHINE_TYPES["n1-standard-1"]
    nodes = untainted_nodes(ask(workers=6, cloud_logging=False), Shape(Arrangement.SINGLE, one, one, 1))
    assert [node.pool for node in nodes] == ["if", "master"]
    assert nodes[0].cpu_system == nodes[1].cpu_system


def test_one_node_that_is_too_small_is_said_with_the_arithmetic():
    small = MACHINE_TYPES["e2-standard-2"]
    shape = Shape(Arrangement.TOGETHER, small, small, 6)
    answer = shortfall(ask(workers=6), shape, untainted_nodes(ask(workers=6), shape))
    assert (
        "of 1930m of CPU for pods on a node, what Kubernetes runs on every node takes 500m"
        in answer.sentences[0]
    )
    assert f"{answer.missing_millicores}m are missing" in answer.sentences[0]


def test_memory_that_is_missing_is_said_as_memory():
    tight = MACHINE_TYPES["e2-highcpu-8"]
    shape, request = Shape(Arrangement.TOGETHER, tight, tight, 6), ask(workers=6, worker_cpu=0)
    answer = shortfall(request, shape, untainted_nodes(request, shape))
    assert "of 6018 MiB of memory for pods on a node" in answer.sentences[0]
