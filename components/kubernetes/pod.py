"""What all pods of a stack have in common: labels, size, place and what the *restricted* level allows.

Pure; manifests use the field names of the Kubernetes API
(https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/), because the training Job's
manifest is handed as it is to the project's own provider. What runs in a pod is its component's business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Manifest = Any
"""A Kubernetes object, or a part of one, in the API's own form: dicts, lists and plain values."""

ROLE_LABEL = "app"
"""Pods carry it with their role; selectors of Services, StatefulSets and NetworkPolicies rely on it alone."""

PART_OF = {"app.kubernetes.io/part-of": "tfcluster"}

OWNED = {"pulumi.com/patchForce": "true"}
"""Annotation of every object: what a hand changed in it, `up` sets back instead of ending in a conflict."""

UNAWAITED = {**OWNED, "pulumi.com/skipAwait": "true"}
"""The same for objects that the provider would wait for, silently; `readiness.py` waits and explains."""

USER_ID = 65532
"""User and group of every process in a pod, the same as in the image; volumes are given to that group."""

RUNS_PATH = "/runs"
"""Where a pod sees the volume with the runs."""

DATA_PATH = "/opt/data"
"""Where the image holds the training data."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Which nodes take a pod, and how much of a node is kept for it.

    Attributes:
        cpu_millicores: CPU requested, which is the limit too.
        memory_mib: Memory requested, which is the limit too.
        node_selector: Labels that a node must have.
        tolerations: Taints that are put up with, as in a pod's manifest.
    """

    cpu_millicores: int
    memory_mib: int
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, str]] = ()


def role_labels(role: str) -> dict[str, str]:
    """Labels of the pods of a role, and of what belongs to them."""
    return {ROLE_LABEL: role, **PART_OF}


def selector(role: str) -> dict[str, str]:
    """What picks the pods of a role."""
    return {ROLE_LABEL: role}


def pod_template(
    role: str, place: Place, spec: Manifest, annotations: Mapping[str, str] | None = None
) -> Manifest:
    """A pod template: `spec` completed by what every pod of the stack has."""
    # A service mesh's sidecar would stand between gRPC and its peers, and keep a Job's pod from ending.
    no_mesh = {"sidecar.istio.io/inject": "false"}
    return {
        "metadata": {
            "labels": role_labels(role) | no_mesh,
            "annotations": {**no_mesh, "linkerd.io/inject": "disabled", **(annotations or {})},
        },
        "spec": {
            "nodeSelector": dict(place.node_selector),
            "tolerations": [dict(toleration) for toleration in place.tolerations],
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER_ID,
                "runAsGroup": USER_ID,
                "fsGroup": USER_ID,
                # A claim with many runs is not walked through again at each start of a pod.
                "fsGroupChangePolicy": "OnRootMismatch",
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            **spec,
            "volumes": [{"name": "tmp", "emptyDir": {}}, *spec.get("volumes", [])],
        },
    }


def container(name: str, image: Any, cpu_millicores: int, memory_mib: int, **fields: Any) -> Manifest:
    """A container that may write to /tmp and to the volumes it mounts, and to nothing else.

    Args:
        name: Its name in the pod.
        image: Reference of its image, by digest.
        cpu_millicores: CPU requested, which is the limit too.
        memory_mib: Memory requested, which is the limit too.
        fields: Further fields of the container's manifest.
    """
    size = {"cpu": f"{cpu_millicores}m", "memory": f"{memory_mib}Mi"}
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "resources": {"requests": size, "limits": size},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        # A program that fails before it can say why elsewhere is heard through its last lines.
        "terminationMessagePolicy": "FallbackToLogsOnError",
        **fields,
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}, *fields.get("volumeMounts", [])],  # noqa: S108 -- the pod's own
    }


def runs_mount(claim_name: Any) -> tuple[Manifest, Manifest]:
    """Volume and mount of the runs."""
    volume = {"name": "runs", "persistentVolumeClaim": {"claimName": claim_name}}
    return volume, {"name": "runs", "mountPath": RUNS_PATH}
