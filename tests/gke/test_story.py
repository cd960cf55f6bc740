"""A stack's life, step by step, for both GKE stacks: the tests of this module follow each other.

What Google is not is told in `tests.gcp_double`; pods and training are made up there too.
"""

import re

import pytest

from stacks.capacity.from_settings import plan_request
from stacks.capacity.plan import Plan
from stacks.capacity.planner import decide
from stacks.capacity.quotas import Quota, Quotas
from stacks.settings import parse
from stacks.stack_file import stack_values
from tests.engine import CHECKOUT
from tests.gcp_double.cloud import PROJECT
from tests.gke.conftest import lines

KINDS = {
    "services": "gcp:projects/service:Service",
    "network": "gcp:compute/network:Network",
    "switch": "gcp:cloudscheduler/job:Job",
    "grant": "gcp:projects/iAMMember:IAMMember nodes-role-0",
    "cluster": "gcp:container/cluster:Cluster",
    "pools": "gcp:container/nodePool:NodePool",
    "namespace": "kubernetes:core/v1:Namespace",
    "claim": "kubernetes:core/v1:PersistentVolumeClaim",
    "interface": "kubernetes:apps/v1:Deployment",
    "servers": "kubernetes:apps/v1:StatefulSet",
    "job": "Job training-",
}


@pytest.fixture(scope="module", params=["gke-free", "gke"])
def stack(request, make_stack):
    return make_stack(request.param)


def plan_of(stack, **changes):
    """The plan that the stack's settings come to in its cloud."""
    values = stack_values(CHECKOUT, stack.stack) | {"project": PROJECT} | changes
    state = stack.cloud.read()
    quotas = Quotas(
        {metric: Quota(int(limit)) for metric, limit in state.limits.items()}, source="the double"
    )
    plan = decide(plan_request(parse(values, "the test"), stack.stack), quotas)
    assert isinstance(plan, Plan)
    return plan


def positions(events, operation, *kinds):
    """First and last position of an operation on each kind, in the order given."""
    found = [
        [place for place, event in enumerate(events) if event.startswith(f"{operation} {KINDS[kind]}")]
        for kind in kinds
    ]
    assert all(found), (kinds, found, events)
    return [(places[0], places[-1]) for places in found]


def assert_follow_each_other(events, operation, *kinds):
    spans = positions(events, operation, *kinds)
    for (_, end), (start, _), kind in zip(spans, spans[1:], kinds[1:], strict=False):
        assert end < start, f"{kind} came too early:\n" + "\n".join(events)


def test_a_preview_prints_the_plan_and_makes_nothing(stack):
    shown = lines(stack.preview().checked())
    assert "It fits." in shown
    assert re.search(r"CPUS_ALL_REGIONS +\d", shown)
    assert "total" in shown
    assert stack.events() == []
    assert stack.cloud.read().objects == {}


def test_up_makes_everything_in_order_and_within_the_planned_peaks(stack):
    stack.up().checked()
    events = stack.events()
    before_pods = ("services", "network", "cluster", "pools", "namespace", "servers", "job")
    assert_follow_each_other(events, "create", *before_pods)
    assert_follow_each_other(events, "create", "grant", "pools")
    planned = {peak.metric: peak.peak for peak in plan_of(stack).peaks}
    for metric, peak in stack.peaks().items():
        assert peak <= planned.get(metric, 0), f"{metric}: {peak} used, {planned.get(metric)} planned"
    assert stack.peaks()["CPUS_ALL_REGIONS"] == planned["CPUS_ALL_REGIONS"]
    outputs = stack.outputs()
    assert outputs["status"] == "succeeded"
    assert outputs["dollarsPerHour"] > 0.1
    assert outputs["openNotebook"].startswith(f"kubectl --kubeconfig build/{stack.stack}.kubeconfig ")


def test_the_cluster_of_the_free_trial_is_deleted_by_google_when_its_time_is_up(stack):
    jobs = [one for one in stack.cloud.read().objects.values() if one["kind"] == KINDS["switch"]]
    if stack.stack == "gke":
        assert jobs == []
        return
    (job,) = jobs
    target = job["inputs"]["httpTarget"]
    assert target["httpMethod"] == "DELETE"
    assert target["uri"].endswith(f"/projects/{PROJECT}/locations/us-central1-a/clusters/tfcluster-gke-free")
    assert job["inputs"]["timeZone"] == "Etc/UTC"
    assert stack.outputs()["deleteAt"].endswith("Z")


def test_a_second_up_and_a_refresh_change_nothing(stack):
    assert not re.search(r"[0-9] (updated|created|deleted|replaced)", lines(stack.up().checked()))
    stack.refresh().checked()
    assert not re.search(r"[0-9] (updated|created|deleted|replaced)", lines(stack.up().checked()))
    assert stack.events() == []


def test_one_changed_byte_of_the_program_rolls_exactly_what_runs_it(stack):
    program = stack.project / "training" / "server.py"
    program.write_text(program.read_text() + "\n")
    (stack.project / "README.md").write_text("no part of the images")
    stack.up().checked()
    assert sorted(re.sub(r"training-\w+", "training", event) for event in stack.events()) == [
        "create Job training",
        "delete Job training",
        "update kubernetes:apps/v1:Deployment interface-pod",
        "update kubernetes:apps/v1:StatefulSet master-servers",
        "update kubernetes:apps/v1:StatefulSet worker-servers",
    ]
    assert len(stack.server.builds.started) == 2


@pytest.mark.parametrize("workers", [4, 6])
def test_another_number_of_workers_leaves_the_cluster_alone(stack, workers):
    stack.configure(workers=workers)
    stack.up().checked()
    events = stack.events()
    assert "update kubernetes:apps/v1:StatefulSet worker-servers" in events
    assert not any(event.startswith(("create gcp:", "delete gcp:")) for event in events), events
    assert not any(KINDS["cluster"] in event or "master-servers" in event for event in events), events
    planned = plan_of(stack, workers=str(workers))
    nodes = {pool.name: pool.node_count for pool in planned.layout.pools}
    assert {
        one["inputs"]["name"]: one["inputs"]["nodeCount"]
        for one in stack.cloud.read().objects.values()
        if one["kind"] == KINDS["pools"]
    } == nodes


def test_another_machine_type_replaces_pools_within_the_quotas(stack):
    machine_type = {"gke-free": "n1-standard-8", "gke": "n1-standard-4"}[stack.stack]
    stack.configure(machineType=machine_type)
    stack.up().checked()
    events = stack.events()
    deleted, created = positions(events, "delete", "pools"), positions(events, "create", "pools")
    assert deleted[0][0] < created[0][0], "the old nodes go first"
    assert not any(KINDS["cluster"] in event for event in events)
    state = stack.cloud.read()
    assert all(peak <= state.limits.get(metric, 0) for metric, peak in state.peaks.items())


def test_another_zone_is_refused_before_anything_is_touched(stack):
    stack.configure(zone="us-central1-f")
    moved = stack.up()
    assert moved.code != 0
    assert "changing zone us-central1-a to us-central1-f would replace the cluster" in moved.text
    assert "`tfcluster down`" in moved.text
    assert stack.events() == []
    stack.configure(zone="us-central1-a")


def test_a_protected_cluster_stops_destroy_before_anything_is_deleted(stack):
    if stack.stack == "gke-free":
        return
    refused = stack.destroy()
    assert refused.code != 0
    assert "pulumi config set protectCluster false" in refused.text
    assert stack.events() == []
    stack.configure(protectCluster=False)
    stack.up().checked()
    stack.events()


def test_destroy_takes_everything_away_in_order_and_proves_it(stack):
    ended = stack.destroy().checked()
    events = stack.events()
    for kind in ("servers", "interface", "claim"):
        assert_follow_each_other(events, "delete", "job", kind, "cluster", "network", "services")
    assert_follow_each_other(events, "delete", "interface", "claim")
    assert not any(event.startswith("delete gcp:container/nodePool") for event in events), (
        "they go with the cluster"
    )
    state = stack.cloud.read()
    assert state.objects == {}
    assert state.in_cluster == {}
    assert state.use == {}
    assert state.leftovers == {"disks": []}
    assert "whose cluster is gone" not in ended.text, "the cluster deleted its volume's disk itself"
    assert "compute" in state.enabled, "APIs stay on"
    assert re.search(r"ran for \d+\.\d\d h and cost about \$\d", ended.text)
    assert f"nothing of this stack is left in {PROJECT}" in ended.text
