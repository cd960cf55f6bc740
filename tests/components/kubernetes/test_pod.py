import dataclasses

import pytest

from components.kubernetes.pod import Place, container, pod_template
from tests.components.kubernetes.declaring import SMALL


def template(place=SMALL):
    made = container("main", "image", place.cpu_millicores, place.memory_mib)
    return pod_template("worker", place, {"containers": [made]})


def test_a_pod_keeps_to_the_restricted_security_level():
    """The rules at https://kubernetes.io/docs/concepts/security/pod-security-standards/."""
    spec = template()["spec"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False
    security = spec["containers"][0]["securityContext"]
    assert security == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_what_a_pod_asks_for_is_what_it_gets():
    resources = template()["spec"]["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"] == {"cpu": "100m", "memory": "256Mi"}


def test_a_service_mesh_puts_no_sidecar_beside_grpc():
    metadata = template()["metadata"]
    assert metadata["labels"]["sidecar.istio.io/inject"] == "false"
    assert metadata["annotations"]["linkerd.io/inject"] == "disabled"


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Place)])
def test_every_part_of_a_place_reaches_the_pod(field):
    other = {
        "cpu_millicores": 200,
        "memory_mib": 512,
        "node_selector": {"pool": "b"},
        "tolerations": [{"key": "only", "operator": "Exists"}],
    }[field]
    assert template(dataclasses.replace(SMALL, **{field: other})) != template()
