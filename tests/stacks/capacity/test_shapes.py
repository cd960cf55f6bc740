import pytest

from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.request import PodSize
from stacks.capacity.shapes import Arrangement, NodeRoom, Shape, bare_node, worker_size
from tests.stacks.capacity.asked import ask

E2 = MACHINE_TYPES["e2-standard-4"]


@pytest.mark.parametrize(("workers", "nodes"), [(1, 1), (2, 1), (3, 2), (6, 3), (7, 4)])
def test_worker_nodes_are_as_many_as_their_workers_need(workers, nodes):
    assert Shape(Arrangement.APART, E2, E2, 2).worker_nodes(workers) == nodes
    assert Shape(Arrangement.TOGETHER, E2, E2, workers).worker_nodes(workers) == 0


def test_a_bare_node_has_what_is_allocatable_less_what_runs_on_every_node():
    assert bare_node(ask(), E2, "main").cpu == 3920 - 500
    assert bare_node(ask(cloud_logging=False), E2, "main").cpu == 3920 - 384


def test_workers_share_a_node_evenly_down_to_their_floor():
    assert worker_size(ask(worker_cpu=0), 1000, 8000, 4) == PodSize(250, 1024)
    assert worker_size(ask(worker_cpu=0), 999, 8000, 4) is None
    assert worker_size(ask(worker_cpu=0), 1000, 4 * 1024 - 1, 4) is None


def test_a_worker_gets_what_the_setting_says_or_nothing():
    assert worker_size(ask(worker_cpu=300), 1000, 8000, 3) == PodSize(300, 1024)
    assert worker_size(ask(worker_cpu=334), 1000, 8000, 3) is None


def test_a_node_is_enough_if_kubernetes_own_pods_leave_what_is_kept():
    node = NodeRoom("main", cpu=100, memory=2000, cpu_system=50)
    node.keep(ask(), "master")
    assert node.is_enough
    node.cpu_system += 1
    assert not node.is_enough


def test_what_is_kept_for_workers_grows_with_their_number():
    few, many = NodeRoom("main", 10_000, 10_000), NodeRoom("main", 10_000, 10_000)
    few.keep(ask(workers=2), "worker")
    many.keep(ask(workers=4), "worker")
    assert many.cpu_kept == 2 * few.cpu_kept
    assert many.memory_kept > few.memory_kept
    assert many.kinds == ("worker",)
