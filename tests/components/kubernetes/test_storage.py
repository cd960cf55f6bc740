import dataclasses

import pytest

from components.kubernetes.storage import OwnClass, Storage, StorageArgs
from tests.components.kubernetes.declaring import everything
from tests.components.mocks import declared

ARGS = {"namespace": "tf", "size_gb": 10, "storage_class": "", "is_kept": False}
WITHOUT_INPUT = {"is_kept"}  # an option of the engine; the suite on the cluster shows its effect


def declare(**changes):
    return declared(lambda: Storage("runs", StorageArgs(**{**ARGS, **changes})))


def test_the_runs_have_one_claim_that_one_node_mounts():
    made = declare()
    assert made.inventory() == [
        ("kubernetes:core/v1:PersistentVolumeClaim", "runs-claim"),
        ("tfcluster:index:Storage", "runs"),
    ]
    spec = made.inputs_of("runs-claim")["spec"]
    assert spec == {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}


def test_without_a_class_the_cluster_decides():
    assert declare(storage_class="fast").inputs_of("runs-claim")["spec"]["storageClassName"] == "fast"
    assert "storageClassName" not in declare().inputs_of("runs-claim")["spec"]


def test_a_class_of_the_stacks_own_makes_volumes_where_the_first_pod_is():
    own = OwnClass(name="runs", provisioner="pd.example.com", parameters={"type": "slow"})
    made = declare(storage_class=own)
    assert ("kubernetes:storage.k8s.io/v1:StorageClass", "runs-class") in made.inventory()
    inputs = made.inputs_of("runs-class")
    assert inputs["volumeBindingMode"] == "WaitForFirstConsumer"
    assert inputs["parameters"] == {"type": "slow"}
    assert inputs["provisioner"] == "pd.example.com"
    assert made.inputs_of("runs-claim")["spec"]["storageClassName"] == "runs"


@pytest.mark.parametrize(
    "field", sorted({field.name for field in dataclasses.fields(StorageArgs)} - WITHOUT_INPUT)
)
def test_no_argument_is_without_effect(field):
    other = {"namespace": "other", "size_gb": 11, "storage_class": "fast"}[field]
    assert everything(declare(**{field: other})) != everything(declare())
