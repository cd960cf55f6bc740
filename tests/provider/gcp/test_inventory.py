"""The inventory: what is left of a stack is found, whatever made it, and named."""

import pytest

from provider.errors import ProviderError
from provider.gcp import inventory
from provider.gcp.inventory import Inputs, Inventory, Outputs
from provider.resource import State
from tests.gcp_double.cloud import PROJECT

LABELS = {"pulumi-project": "tfcluster", "pulumi-stack": "gke-free"}
INPUTS = Inputs(
    project=PROJECT,
    region="us-central1",
    zone="us-central1-a",
    name="tfcluster-gke-free",
    accounts=["tfcluster-gke-free-nodes"],
    labels=LABELS,
    protect_cluster=False,
)
STATE = State("id", INPUTS, Outputs(owner="0123abcd"))
NETWORK = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/global/networks/tfcluster-gke-free"
LEFT = {
    "disks": {"name": "pvc-1", "zone": "us-central1-a", "labels": LABELS},
    "instances": {
        "name": "gke-n",
        "zone": "us-central1-a",
        "labels": {"goog-k8s-cluster-name": "tfcluster-gke-free"},
    },
    "addresses": {"name": "nat-auto-ip-1", "users": ["https://x/routers/tfcluster-gke-free"]},
    "forwardingRules": {"name": "a1b2", "network": NETWORK},
    "routers": {"name": "tfcluster-gke-free"},
    "firewalls": {"name": "gke-tfcluster-gke-free-0123abcd-all"},
    "networks": {"name": "tfcluster-gke-free"},
    "accounts": {"email": f"tfcluster-gke-free-nodes@{PROJECT}.iam.gserviceaccount.com"},
    "repositories": {"name": "projects/p/locations/us-central1/repositories/tfcluster-gke-free"},
    "items": {"name": "some-bucket", "labels": LABELS},
}
FOREIGN = {
    "disks": {"name": "pvc-2", "zone": "us-central1-a", "labels": {"pulumi-stack": "gke-free"}},
    "instances": {
        "name": "gke-m",
        "zone": "us-central1-b",
        "labels": {
            "goog-k8s-cluster-name": "tfcluster-gke-free",
            "goog-k8s-cluster-location": "us-central1-b",
        },
    },
    "addresses": {"name": "nat-auto-ip-2", "users": ["https://x/routers/other"]},
    "firewalls": {"name": "gke-tfcluster-gke-free-two-0123abcd-all"},
    "networks": {"name": "tfcluster-gke-free-nodes"},
    "accounts": {"email": f"tfcluster-gke-nodes@{PROJECT}.iam.gserviceaccount.com"},
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(inventory, "SETTLE_S", 0.01)
    monkeypatch.setattr(inventory, "LOOK_PERIOD_S", 0.01)


@pytest.fixture
def left(google, cloud):
    del google

    def leave(things):
        with cloud.open() as state:
            state.leftovers = {collection: [thing] for collection, thing in things.items()}

    return leave


def test_nothing_left_is_said_and_deletes_the_inventory(google, operation, lines):
    Inventory().delete(operation, STATE)
    assert lines[-1] == f"nothing of this stack is left in {PROJECT}"


def test_everything_that_is_left_is_named_with_the_command_that_deletes_it(left, operation):
    left(LEFT)
    with pytest.raises(ProviderError, match=f"{len(LEFT)} left in {PROJECT}") as raised:
        Inventory().delete(operation, STATE)
    message = str(raised.value)
    for thing in LEFT.values():
        assert str(thing.get("name", thing.get("email"))).rpartition("/")[2] in message
    assert f"gcloud compute disks delete pvc-1 --zone us-central1-a --project {PROJECT}" in message
    assert "then run `pulumi destroy` again" in message


def test_what_is_in_no_place_is_deleted_without_naming_one(left, server, operation):
    page = {"items": {"global": {"addresses": [{"name": "tfcluster-gke-free"}]}}}
    server.answer_instead("GET /compute/.*/aggregated/addresses", 200, page)
    left({"firewalls": LEFT["firewalls"]})
    with pytest.raises(ProviderError) as raised:
        Inventory().delete(operation, STATE)
    assert f"gcloud compute addresses delete tfcluster-gke-free --global --project {PROJECT}" in str(
        raised.value
    )
    assert f"delete gke-tfcluster-gke-free-0123abcd-all --project {PROJECT}" in str(raised.value)


def test_what_belongs_to_others_is_left_out(left, operation, lines):
    left(FOREIGN)
    Inventory().delete(operation, STATE)
    assert lines[-1].startswith("nothing of this stack is left")


@pytest.mark.parametrize("collection", sorted(LEFT))
def test_each_kind_alone_is_enough_to_fail(left, operation, collection):
    left({collection: LEFT[collection]})
    with pytest.raises(ProviderError, match="1 left"):
        Inventory().delete(operation, STATE)


def test_an_orphan_of_this_life_of_the_stack_is_deleted_and_one_of_another_is_named(left, operation, lines):
    orphan = {**LEFT["disks"], "labels": {**LABELS, "tfcluster-owner": STATE.outputs.owner}}
    left({"disks": orphan})
    Inventory().delete(operation, STATE)
    assert lines[0] == "deleted disk pvc-1 in us-central1-a, whose cluster is gone"
    assert lines[-1].startswith("nothing of this stack is left")
    left({"disks": {**orphan, "labels": {**LABELS, "tfcluster-owner": "89abcdef"}}})
    with pytest.raises(ProviderError, match="1 left"):
        Inventory().delete(operation, STATE)


def test_what_disappears_a_moment_later_is_no_failure(left, server, operation, lines):
    page = {"items": {"zones/us-central1-a": {"disks": [LEFT["disks"]]}}}
    server.answer_instead("GET /compute/.*/aggregated/disks", 200, page, times=2)
    Inventory().delete(operation, STATE)
    assert lines[-1].startswith("nothing of this stack is left")


def test_what_cannot_be_looked_at_is_never_called_empty(google, server, operation, lines):
    server.refuse("GET /iam", 403, "Permission 'iam.serviceAccounts.list' denied")
    Inventory().delete(operation, STATE)
    assert any(line.startswith("warning: ") and "iam.serviceAccounts.list" in line for line in lines)
    assert not any("nothing of this stack is left" in line for line in lines)


def test_credentials_that_are_refused_prove_nothing(google, server, operation):
    server.refuse("GET ", 401, "Invalid Credentials")
    with pytest.raises(ProviderError, match="gcloud auth application-default login"):
        Inventory().delete(operation, STATE)


def test_a_new_stack_has_an_identity_of_its_own_and_is_told_what_an_earlier_one_left(left, operation, lines):
    left({"disks": LEFT["disks"]})
    first, second = Inventory().create(operation, INPUTS), Inventory().create(operation, INPUTS)
    assert first.outputs.owner != second.outputs.owner
    assert "left from an earlier stack of this name: disk us-central1-a/pvc-1" in lines[0]


def test_a_project_whose_apis_are_off_can_have_nothing_left(server, cloud, operation, lines):
    with cloud.open() as state:
        state.enabled = []
    Inventory().create(operation, INPUTS)
    assert lines == []


@pytest.mark.parametrize(
    ("field", "other", "said"),
    [
        ("zone", "us-central1-b", "zone us-central1-a to us-central1-b"),
        ("name", "other", f"cluster name {INPUTS.name} to other"),
        ("project", "other-project", f"project {PROJECT} to other-project"),
    ],
)
def test_what_would_replace_the_cluster_is_refused_before_anything_is_touched(field, other, said):
    with pytest.raises(
        ProviderError, match=rf"changing {said} .*nothing was changed.*`tfcluster down`"
    ) as raised:
        Inventory().diff(STATE, altered(**{field: other}))
    assert "protectCluster" not in str(raised.value)


def test_a_protected_cluster_is_to_be_unprotected_first():
    protected = State("id", altered(protect_cluster=True), Outputs(owner="0123abcd"))
    with pytest.raises(ProviderError, match=r"zone us-central1-a to us-central1-b.*protectCluster false"):
        Inventory().diff(protected, altered(zone="us-central1-b"))
    assert Inventory().diff(protected, INPUTS).changed == {"protectCluster"}


def altered(**changes):
    return Inputs(**({name: getattr(INPUTS, name) for name in Inputs.__struct_fields__} | changes))
