"""Node pools as they are declared."""

import dataclasses

from components.gcp.node_pool import NodePools, NodePoolsArgs, PoolSpec
from tests.components.gcp.computed import google_recorder
from tests.components.mocks import declared

MAIN = PoolSpec(
    key="if",
    name="if-e2-standard-2",
    machine_type="e2-standard-2",
    node_count=1,
    disk_type="pd-balanced",
    disk_gb=30,
    is_spot=False,
    node_labels={"app-if": "true"},
    taints=[],
)
WORKERS = dataclasses.replace(
    MAIN, key="workers", name="workers-n1-standard-1", node_count=6, taints=[("app-worker-only", "true")]
)
ARGS = NodePoolsArgs(
    project="demo-project",
    zone="us-central1-a",
    cluster_name="tf",
    cluster="projects/p/locations/us-central1-a/clusters/tf",
    node_account="nodes@p.iam.gserviceaccount.com",
    labels={"pulumi-stack": "gke-free"},
    pools=[MAIN, WORKERS],
    max_surge=0,
    ready_timeout_s=900,
)
POOL_CHANGES = {
    "name": "other",
    "machine_type": "n1-standard-1",
    "node_count": 2,
    "disk_type": "pd-standard",
    "disk_gb": 50,
    "is_spot": True,
    "node_labels": {"app-worker": "true"},
    "taints": [("a", "b")],
}


def pools(**changes):
    args = dataclasses.replace(ARGS, **changes)
    return declared(lambda: NodePools("pools", args), google_recorder())


def inputs(recorder):
    return [(one.name, one.inputs) for one in recorder.resources]


def test_no_field_of_a_pool_is_dead():
    assert set(POOL_CHANGES) | {"key"} == {field.name for field in dataclasses.fields(PoolSpec)}
    before = inputs(pools())
    for field, value in POOL_CHANGES.items():
        changed = dataclasses.replace(MAIN, **{field: value})
        assert inputs(pools(pools=[changed, WORKERS])) != before, field


def test_each_pool_is_one_resource_however_many_nodes_it_has():
    kinds = [kind for kind, _ in pools().inventory()]
    assert kinds.count("gcp:container/nodePool:NodePool") == 2


def test_upgrades_stay_within_the_quota_and_nodes_are_hardened():
    pool = pools().inputs_of("pools-workers")
    assert pool["upgradeSettings"] == {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1}
    assert pool["nodeConfig"]["shieldedInstanceConfig"] == {
        "enableSecureBoot": True,
        "enableIntegrityMonitoring": True,
    }
    assert pool["nodeConfig"]["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
    assert pool["nodeConfig"]["taints"] == [
        {"key": "app-worker-only", "value": "true", "effect": "NO_SCHEDULE"}
    ]
    assert "initialNodeCount" not in pool, "a resize from outside would make a refresh plan a replacement"


def test_no_pool_leaves_its_disk_to_googles_default():
    for name in ("pools-if", "pools-workers"):
        assert set(pools().inputs_of(name)["nodeConfig"]["bootDisk"]) == {"diskType", "sizeGb"}


def test_every_pool_is_waited_for():
    wanted = pools().inputs_of("pools-ready")
    assert [(one["name"], one["nodeCount"]) for one in wanted["pools"]] == [
        ("if-e2-standard-2", 1),
        ("workers-n1-standard-1", 6),
    ]
    assert wanted["timeoutS"] == 900
