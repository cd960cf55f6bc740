"""Kubernetes objects for tests, in the form in which the API server of the test cluster shows them."""

from typing import Any

NAMES = {
    "worker": {
        "cpu": "workerCpuMillicores",
        "memory": "workerMemoryMib",
        "nodes": "workerNodeSelector",
        "tolerations": "tolerations",
        "image": "serverImage",
    },
    "runs": {"storageClass": "runsStorageClass"},
}

UNSCHEDULABLE = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "0/3 nodes are available",
}


def pod(
    name: str = "worker-0",
    *,
    cpu: str = "100m",
    memory: str = "256Mi",
    node: str = "",
    phase: str = "Pending",
    conditions: list[dict[str, Any]] | None = None,
    container: dict[str, Any] | None = None,
    image: str = "example.com/server@sha256:1",
    **spec: Any,
) -> dict[str, Any]:
    """A pod of the role worker with one container."""
    size = {"cpu": cpu, "memory": memory}
    made = {"name": "server", "image": image, "resources": {"requests": size, "limits": size}}
    status = {"phase": phase, "conditions": conditions or []}
    if container is not None:
        status["containerStatuses"] = [
            {"name": "server", "image": image, "ready": False, "restartCount": 0, "state": {}, **container}
        ]
    return {
        "metadata": {"name": name, "namespace": "tf", "labels": {"app": "worker"}},
        "spec": {"containers": [made], **({"nodeName": node} if node else {}), **spec},
        "status": status,
    }


def node(
    name: str,
    *,
    cpu: str = "2",
    memory: str = "4Gi",
    labels: dict[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    is_ready: bool = True,
) -> dict[str, Any]:
    """A node."""
    ready = {"type": "Ready", "status": "True"}
    if not is_ready:
        ready = {
            "type": "Ready",
            "status": "Unknown",
            "reason": "NodeStatusUnknown",
            "lastTransitionTime": "2026-11-30T06:00:00Z",
        }
    return {
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"taints": taints or []},
        "status": {"allocatable": {"cpu": cpu, "memory": memory}, "conditions": [ready]},
    }


def event(reason: str, message: str, about: str) -> dict[str, Any]:
    """An event about an object."""
    return {"reason": reason, "message": message, "involvedObject": {"name": about}}
