"""What the GKE stacks declare, against a fake engine and a simulated account."""

import json
import re

import pytest

from provider.gcp.preflight import Finding
from stacks import gke
from stacks.capacity.quotas import Quota, Quotas
from stacks.google_account import GoogleAccount
from stacks.settings import SettingsError, parse, rules
from stacks.stack_file import stack_values
from tests.components.gcp.computed import OWNER, google_recorder
from tests.components.mocks import declared
from tests.engine import CHECKOUT
from tests.gcp_double.cloud import PROJECT
from tests.stacks.test_gke_settings import USELESS

ENOUGH_FOR_ALL = [
    *("CPUS", "E2_CPUS", "CPUS_ALL_REGIONS", "INSTANCES", "IN_USE_ADDRESSES", "STATIC_ADDRESSES"),
    *("SSD_TOTAL_GB", "DISKS_TOTAL_GB", "NETWORKS", "ROUTERS"),
]
LARGE = Quotas({metric: Quota(10_000) for metric in ENOUGH_FOR_ALL}, source="the test", is_live=True)
LABELS = {"pulumi-project": "tfcluster", "pulumi-stack": "gke-free", "tfcluster-owner": OWNER}
BASE = {"workers": "2", "nodeSharing": "services", "vcpuBudget": "64"}
CHANGES = {
    "project": "other-project",
    "zone": "us-central1-c",
    "machineType": "n1-standard-8",
    "nodeSharing": "none",
    "workers": "3",
    "workerCpuMillicores": "700",
    "diskType": "pd-standard",
    "diskGb": "40",
    "runsDiskGb": "20",
    "vcpuBudget": "6",
    "spot": "true",
    "maxSurge": "1",
    "privateNodes": "false",
    "cloudLogging": "false",
    "imageBuilder": "docker",
    "imageBuildTimeoutSeconds": "1800",
    "nodeWaitSeconds": "60",
    "ttlHours": "3",
    "protectCluster": "true",
    "ipEndpoint": "true",
    "namespace": "elsewhere",
    "clusterWaitSeconds": "60",
    "interfaceCpuMillicores": "300",
    "interfaceMemoryMib": "1000",
    "trainingCpuMillicores": "300",
    "trainingMemoryMib": "1000",
    "masterCpuMillicores": "100",
    "masterMemoryMib": "700",
    "workerMemoryMib": "2000",
    "task": "my.task",
    "steps": "10",
    "batchSize": "300",
    "learningRate": "0.01",
    "seed": "9",
    "syncPeriod": "5",
    "measureSpeedup": "false",
    "resume": "true",
    "peerTimeoutSeconds": "5",
    "trainTimeoutSeconds": "5",
    "waitForTraining": "false",
    "runId": "again",
    "runsDir": "elsewhere",
    "workersMin": "2",
    "workersMax": "5",
    "workerGainPercent": "40",
    "serverImage": f"us-central1-docker.pkg.dev/p/r/server@sha256:{'1' * 64}",
    "interfaceImage": f"us-central1-docker.pkg.dev/p/r/interface@sha256:{'1' * 64}",
    "fit": "true",
}
"""Another value for each setting that a GKE stack has a use for."""

IMAGE = f"us-central1-docker.pkg.dev/p/r/server@sha256:{'0' * 64}"
PREBUILT = {"imageBuilder": "prebuilt", "serverImage": IMAGE, "interfaceImage": IMAGE}
AUTOMATIC = {"workers": "auto", "workersMax": "3"}
TOGETHER_WITH = {
    "serverImage": PREBUILT,
    "interfaceImage": PREBUILT,
    "workersMin": AUTOMATIC,
    "workersMax": AUTOMATIC,
    "workerGainPercent": AUTOMATIC,
}
"""What must be set for a setting to have a use."""


@pytest.fixture
def declare(monkeypatch):
    """Declares a stack with changed settings in an account where anything fits."""
    account = GoogleAccount(findings=(), quotas=LARGE, offered=None, running=())
    monkeypatch.setattr(gke, "read_account", lambda _settings, _stack: account)

    def declare(stack="gke-free", named=None, **changes):
        values = stack_values(CHECKOUT, stack) | {"project": PROJECT, **BASE, **changes}
        settings = parse(values, "the test")
        return declared(lambda: gke.declare(settings), google_recorder(), stack=named or stack)

    return declare


def everything(recorder):
    return sorted(json.dumps([one.typ, one.name, one.inputs], sort_keys=True) for one in recorder.resources)


def unchanged(declare, base, known={}):  # noqa: B006 -- a memory on purpose: each takes a second
    key = tuple(base)
    if key not in known:
        known[key] = everything(declare(**base))
    return known[key]


def of_google(recorder):
    return [
        (kind.removeprefix("gcp:").rpartition(":")[2], name)
        for kind, name in recorder.inventory()
        if kind.startswith("gcp:")
    ]


def test_the_free_trials_stack_declares_exactly_this_in_google_cloud(declare):
    assert of_google(declare()) == [
        ("Repository", "images-repository"),
        ("RepositoryIamMember", "images-cloud-writer"),
        ("RepositoryIamMember", "images-reader"),
        ("Job", "dead-man-switch-call"),
        ("Network", "network-vpc"),
        ("Router", "network-router"),
        ("RouterNat", "network-nat"),
        ("Subnetwork", "network-subnet"),
        ("Cluster", "gke-cluster"),
        ("NodePool", "pools-main"),
        ("NodePool", "pools-workers"),
        ("IAMCustomRole", "dead-man-switch-role"),
        ("IAMMember", "dead-man-switch-account-role-0"),
        ("IAMMember", "nodes-role-0"),
        *[("Service", f"apis-{one}") for one in SERVICES],
        ("Account", "dead-man-switch-account-account"),
        ("Account", "images-cloud-builder-account"),
        ("Account", "nodes-account"),
        ("Bucket", "images-cloud-bucket"),
        ("BucketIAMMember", "images-cloud-bucket-admin"),
    ]


SERVICES = ("artifactregistry", "cloudbuild", "cloudscheduler", "compute", "container", "iam", "storage")


def test_the_paid_stack_differs_by_its_dead_man_switch_alone(declare):
    free, paid = of_google(declare()), of_google(declare("gke"))
    assert set(paid) < set(free)
    assert sorted(set(free) - set(paid)) == [
        ("Account", "dead-man-switch-account-account"),
        ("IAMCustomRole", "dead-man-switch-role"),
        ("IAMMember", "dead-man-switch-account-role-0"),
        ("Job", "dead-man-switch-call"),
        ("Service", "apis-cloudscheduler"),
    ]


def test_prebuilt_images_need_no_repository_and_no_builder(declare):
    found = declare(**PREBUILT).inventory()
    names = {name for _, name in found}
    assert not {name for name in names if name.startswith("images")}
    assert "apis-artifactregistry" not in names
    assert "apis-cloudbuild" not in names


@pytest.mark.parametrize("setting", sorted(CHANGES.keys() - {"fit"}))
def test_no_setting_is_dead(declare, setting):
    base = TOGETHER_WITH.get(setting, {})
    assert everything(declare(**{**base, setting: CHANGES[setting]})) != unchanged(declare, base)


def test_every_setting_has_a_use_or_is_refused():
    assert CHANGES.keys() | USELESS.keys() | {"target"} == rules().keys()


def test_fit_takes_fewer_workers_where_too_many_are_asked_for(declare):
    tight = {"workers": "9", "vcpuBudget": "8"}
    with pytest.raises(SettingsError, match="REFUSED"):
        declare(**tight)
    fitted = declare(**tight, fit="true")
    assert fitted.inputs_of("worker-servers")["spec"]["replicas"] < 9


def test_everything_that_can_carry_labels_carries_the_stacks(declare):
    found = declare()
    for name, field in (
        ("gke-cluster", "resourceLabels"),
        ("images-repository", "labels"),
        ("images-cloud-bucket", "labels"),
    ):
        assert found.inputs_of(name)[field] == LABELS, name
    assert found.inputs_of("gke-cluster")["nodeConfig"]["resourceLabels"] == LABELS
    assert found.inputs_of("pools-main")["nodeConfig"]["resourceLabels"] == LABELS
    volume = found.inputs_of("runs-class")["parameters"]["labels"]
    assert dict(label.split("=") for label in volume.split(",")) == LABELS
    for name in ("network-vpc", "network-subnet", "network-router", "nodes-account", "dead-man-switch-call"):
        assert (
            f"stack gke-free of project tfcluster; made by Pulumi, life {OWNER}"
            in found.inputs_of(name)["description"]
        )


NAMED = {
    "container/cluster:Cluster": ("name", r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?"),
    "container/nodePool:NodePool": ("name", r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?"),
    "compute/network:Network": ("name", r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"),
    "compute/subnetwork:Subnetwork": ("name", r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"),
    "compute/router:Router": ("name", r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"),
    "compute/routerNat:RouterNat": ("name", r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"),
    "artifactregistry/repository:Repository": ("repositoryId", r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"),
    "serviceaccount/account:Account": ("accountId", r"[a-z][a-z0-9-]{4,28}[a-z0-9]"),
    "projects/iAMCustomRole:IAMCustomRole": ("roleId", r"[a-zA-Z0-9_.]{3,64}"),
    "storage/bucket:Bucket": ("name", r"[a-z0-9][a-z0-9_-]{1,61}[a-z0-9]"),
    "cloudscheduler/job:Job": ("name", r"[a-zA-Z0-9_-]{1,500}"),
}
"""Input that names each kind of thing in Google Cloud, and what Google allows there."""


@pytest.mark.parametrize("stack", ["x", "Some.Stack_with-Everything-In-Its-Name-40"])
def test_every_name_and_label_is_one_that_google_allows(declare, stack):
    found = declare(named=stack)
    named = [one for one in found.resources if one.typ.removeprefix("gcp:") in NAMED]
    assert {one.typ.removeprefix("gcp:") for one in named} == set(NAMED)
    for one in named:
        field, allowed = NAMED[one.typ.removeprefix("gcp:")]
        assert re.fullmatch(allowed, one.inputs[field]), (one.typ, one.inputs[field])
    for value in found.inputs_of("gke-cluster")["resourceLabels"].values():
        assert re.fullmatch(r"[a-z0-9_-]{1,63}", value)


def test_commands_for_people_use_the_stacks_own_kubeconfig_and_say_how_to_save_it(declare):
    run = declare().inputs_of("training-run")
    assert run["kubectl"] == "kubectl --kubeconfig build/gke-free.kubeconfig"
    assert gke.save_kubeconfig("gke-free").endswith("--stack gke-free > build/gke-free.kubeconfig")


def test_no_output_is_turned_into_text(declare):
    text = "\n".join(everything(declare()))
    assert "<pulumi.output.Output" not in text
    assert "Calling __str__" not in text


def test_problems_of_account_and_plan_are_told_together_and_nothing_is_declared(declare, monkeypatch):
    broke = Finding(subject="billing", sentence="there is no billing account", is_problem=True)
    account = GoogleAccount(findings=(broke,), quotas=LARGE, offered=None, running=())
    monkeypatch.setattr(gke, "read_account", lambda _settings, _stack: account)
    with pytest.raises(SettingsError, match="billing: there is no billing account") as raised:
        declare(workers="9", vcpuBudget="8")
    assert "\n\nPlan of stack gke-free: 9 workers in us-central1-a.\nREFUSED: nothing is created.\n" in str(
        raised.value
    )
