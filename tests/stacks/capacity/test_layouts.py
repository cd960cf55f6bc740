import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stacks.capacity import allocatable
from stacks.capacity.layouts import lay_out
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Layout
from stacks.capacity.request import PlanRequest, PodSize
from stacks.capacity.shapes import Arrangement, Shape, Shortfall
from stacks.capacity.sharing import least
from stacks.topology import Role
from tests.stacks.capacity.asked import ask

NAMES = [
    "n1-standard-1",
    "e2-standard-2",
    "e2-highcpu-4",
    "t2d-standard-8",
    "n2-standard-16",
    "c3-highcpu-22",
]


@settings(deadline=None)
@given(
    arrangement=st.sampled_from(Arrangement),
    main=st.sampled_from(NAMES),
    worker=st.sampled_from(NAMES),
    workers=st.integers(1, 40),
    per_node=st.integers(1, 8),
    cloud_logging=st.booleans(),
    spot=st.booleans(),
    worker_cpu=st.sampled_from([0, 400, 1000]),
)
def test_a_layouts_pods_fit_their_nodes_whatever_the_shape(
    arrangement, main, worker, workers, per_node, cloud_logging, spot, worker_cpu
):
    is_together = arrangement is Arrangement.TOGETHER
    request = ask(workers=workers, cloud_logging=cloud_logging, spot=spot, worker_cpu=worker_cpu)
    machine = MACHINE_TYPES[main if is_together else worker]
    shape = Shape(
        arrangement, MACHINE_TYPES[main], machine, workers if is_together else min(per_node, workers)
    )
    layout = lay_out(request, shape)
    if isinstance(layout, Shortfall):
        assert all(sentence.endswith(".") for sentence in layout.sentences)
        return
    assert_fits(request, layout)
    assert_roles_have_a_place(layout, workers)


def assert_fits(request: PlanRequest, layout: Layout) -> None:
    for load in layout.loads:
        pool = next(pool for pool in layout.pools if pool.key == load.pool)
        assert load.cpu_allocatable == allocatable.cpu_millicores(MACHINE_TYPES[pool.machine_type])
        assert load.cpu_system > 0
        assert load.cpu_left >= 0
        assert load.memory_left >= 0
    for pod in layout.pods:
        assert least(request, pod.kind).cpu_millicores <= pod.cpu_millicores
        assert least(request, pod.kind).memory_mib <= pod.memory_mib <= request.sizes[pod.kind].memory_mib


def assert_roles_have_a_place(layout: Layout, workers: int) -> None:
    assert {pod.kind: pod.count for pod in layout.pods} == {
        "interface": 1,
        "training": 1,
        "master": 1,
        "worker": workers,
    }
    assert any(not pool.is_tainted and not pool.is_spot for pool in layout.pools)
    for pool in layout.pools:
        is_for_workers_alone = pool.roles == (Role.WORKER,)
        assert pool.is_tainted == is_for_workers_alone
        assert not pool.is_spot or is_for_workers_alone
        assert pool.node_count >= 1
    for pod in layout.pods:
        pool = layout.pool(pod.role)
        assert pod.node_selector.items() <= pool.labels.items()
        assert pod.tolerates_taint == pool.is_tainted


def test_all_of_what_a_node_leaves_goes_to_its_workers():
    machine = MACHINE_TYPES["e2-standard-4"]
    layout = lay_out(ask(workers=6, worker_cpu=0), Shape(Arrangement.APART, machine, machine, 3))
    assert isinstance(layout, Layout)
    assert layout.pod("worker").cpu_millicores == (3920 - 500) // 3
    assert layout.loads[-1].cpu_left < 3


def test_interface_and_training_run_on_the_if_node_with_the_runs_volume():
    machine = MACHINE_TYPES["e2-standard-2"]
    layout = lay_out(ask(runs_disk_gb=25, worker_cpu=0), Shape(Arrangement.SINGLE, machine, machine, 1))
    assert isinstance(layout, Layout)
    assert {layout.pool(layout.pod(kind).role).key for kind in ("interface", "training")} == {"if"}
    assert layout.runs_disk.size_gb == 25


@pytest.mark.parametrize(("roles", "labels"), [(1, {"app-worker"}), (0, {"app-if", "app-master"})])
def test_one_label_a_role_lets_roles_share_a_node(roles, labels):
    machine = MACHINE_TYPES["e2-standard-2"]
    layout = lay_out(ask(), Shape(Arrangement.APART, machine, machine, 1))
    assert isinstance(layout, Layout)
    assert layout.pools[roles].labels == dict.fromkeys(labels, "true")


def test_services_get_what_their_settings_say_where_the_node_has_it():
    machine = MACHINE_TYPES["e2-standard-4"]
    request = ask()
    layout = lay_out(request, Shape(Arrangement.APART, machine, machine, 1))
    assert isinstance(layout, Layout)
    for kind in ("interface", "training", "master"):
        pod = layout.pod(kind)
        assert PodSize(pod.cpu_millicores, pod.memory_mib) == request.sizes[kind]


def test_services_beside_workers_of_a_set_size_keep_their_size_whatever_the_number():
    machine = MACHINE_TYPES["e2-standard-8"]

    def services(workers: int) -> list[int]:
        layout = lay_out(ask(workers=workers), Shape(Arrangement.TOGETHER, machine, machine, workers))
        assert isinstance(layout, Layout)
        return [layout.pod(kind).cpu_millicores for kind in ("interface", "training", "master")]

    assert services(1) == services(3) == services(6)


def test_what_workers_lack_is_said():
    machine = MACHINE_TYPES["e2-highcpu-2"]
    answer = lay_out(ask(), Shape(Arrangement.APART, MACHINE_TYPES["e2-standard-2"], machine, 1))
    assert isinstance(answer, Shortfall)
    (sentence,) = answer.sentences
    assert "workerMemoryMib=1024 does not fit on machineType=e2-highcpu-2" in sentence
