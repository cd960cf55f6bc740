from stacks.capacity.options import machine_types, options, shortfalls
from stacks.capacity.request import NodeSharing
from stacks.capacity.shapes import MOST_WORKERS_A_NODE, Arrangement
from tests.stacks.capacity.asked import ask


def names(**changes: object) -> set[str]:
    return {machine.name for machine in machine_types(ask(**changes))}


def arrangements(**changes: object) -> set[Arrangement]:
    request = ask(**changes)
    return {option.shape.arrangement for option in options(request, machine_types(request))}


def test_auto_leaves_out_what_is_throttled_of_another_architecture_or_not_offered():
    everything = names()
    assert "e2-medium" not in everything
    assert "t2a-standard-4" not in everything
    assert {"e2-standard-8", "c4-standard-2", "n1-standard-1"} <= everything
    assert names(offered=frozenset({"e2-standard-8", "a3-highgpu-8g"})) == {"e2-standard-8"}
    assert all(name.startswith(("t2a", "c4a", "n4a")) for name in names(image_arch="arm64"))


def test_a_named_disk_type_leaves_out_families_that_do_not_take_it():
    assert not any(name.startswith(("c4", "n4", "c3")) for name in names(disk_type="pd-standard"))
    assert not any(name.startswith(("e2", "n1")) for name in names(disk_type="hyperdisk-balanced"))


def test_a_named_type_is_the_only_one_even_if_auto_would_leave_it_out():
    assert names(machine_type="e2-medium") == {"e2-medium"}


def test_node_sharing_decides_the_arrangements():
    assert arrangements() == {Arrangement.TOGETHER, Arrangement.APART}
    assert arrangements(node_sharing=NodeSharing.SERVICES) == {Arrangement.APART}
    assert arrangements(node_sharing=NodeSharing.NONE) == {Arrangement.SINGLE}
    assert arrangements(spot=True) == {Arrangement.APART}


def test_only_shared_nodes_carry_several_workers():
    request = ask(node_sharing=NodeSharing.SERVICES)
    assert {option.shape.workers_per_node for option in options(request, machine_types(request))} == {1}
    request = ask(machine_type="e2-standard-4", worker_cpu=0)
    apart = [option for option in options(request, machine_types(request)) if option.nodes > 0]
    assert {(option.nodes, option.shape.workers_per_node) for option in apart} >= {
        (6, 1),
        (3, 2),
        (2, 3),
        (1, 6),
    }


def test_no_node_carries_more_pods_than_gke_lets_it():
    request = ask(workers=200, worker_cpu=0)
    found = list(options(request, machine_types(request)))
    assert found
    assert max(option.shape.workers_per_node for option in found) <= MOST_WORKERS_A_NODE
    assert not any(option.shape.arrangement is Arrangement.TOGETHER for option in found)


def test_workers_of_a_set_size_get_no_larger_machine_than_they_need():
    request = ask(node_sharing=NodeSharing.SERVICES, worker_cpu=1000)
    chosen = {option.shape.worker.name for option in options(request, machine_types(request))}
    assert "e2-standard-2" in chosen
    assert not any(name.startswith("e2-standard-") for name in chosen - {"e2-standard-2"})
    shared = ask(node_sharing=NodeSharing.SERVICES, worker_cpu=0)
    assert "e2-standard-8" in {option.shape.worker.name for option in options(shared, machine_types(shared))}


def test_shortfalls_say_why_a_machine_is_too_small():
    request = ask(machine_type="e2-micro")
    (shortfall,) = shortfalls(request, machine_types(request))
    assert "e2-micro" in shortfall.sentences[-1]
