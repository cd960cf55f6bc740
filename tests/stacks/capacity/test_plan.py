import dataclasses

import pytest

from stacks.capacity.plan import NODE_LABELS, Disk, Pool, Taint
from stacks.topology import Role
from tests.stacks.capacity.asked import ask, planned

POOL = Pool(
    key="workers",
    machine_type="n2d-standard-32",
    node_count=2,
    roles=(Role.WORKER,),
    is_spot=False,
    is_tainted=True,
    disk=Disk(type="pd-standard", size_gb=30),
)


def test_a_pools_name_changes_with_its_machine_type_and_is_short_enough_for_gke():
    assert POOL.name == "workers-n2d-standard-32"
    assert dataclasses.replace(POOL, machine_type="e2-standard-2").name != POOL.name
    assert len(POOL.name) <= 40


def test_labels_are_one_key_a_role():
    shared = dataclasses.replace(POOL, roles=(Role.INTERFACE, Role.MASTER))
    assert shared.labels == {"app-if": "true", "app-master": "true"}
    assert set(NODE_LABELS) == set(Role)


def test_only_tainted_pools_have_a_taint():
    assert POOL.taints == (Taint(key="app-worker-only", value="true", effect="NO_SCHEDULE"),)
    assert dataclasses.replace(POOL, is_tainted=False).taints == ()


def test_the_region_is_the_zones():
    assert planned(ask(zone="europe-west4-b")).region == "europe-west4"


def test_a_role_that_runs_nowhere_is_not_found():
    layout = dataclasses.replace(planned(ask()).layout, pools=(POOL,))
    with pytest.raises(StopIteration):
        layout.pool(Role.MASTER)
