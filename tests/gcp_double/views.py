"""What the compute, container and other APIs say of the double's cloud."""

import re
from collections.abc import Callable
from typing import Any

from tests.gcp_double import clusters, compute
from tests.gcp_double.cloud import PROJECT, State

_COMPUTE = f"/compute/compute/v1/projects/{PROJECT}"
Answer = dict[str, Any] | None


def answer(state: State, method: str, path: str, query: dict[str, str]) -> Answer:
    """The JSON object that answers a request, or None where there is nothing at the path."""
    for pattern, view in _ROUTES:
        match = re.fullmatch(pattern, f"{method} {path}")
        if match:
            return view(state, query, **match.groupdict())
    return None


def _cluster(state: State, _query: dict[str, str], cluster: str) -> Answer:
    found = state.objects.get(cluster)
    if found is None:
        return None
    pools = [key for key in state.objects if key.startswith(f"{cluster}/nodePools/")]
    return {
        "name": found["inputs"]["name"],
        "status": found["outputs"].get("status", "RUNNING"),
        "statusMessage": found["outputs"].get("statusMessage", ""),
        "resourceLabels": found["inputs"].get("resourceLabels", {}),
        "nodePools": [_node_pool(state, key) for key in pools],
    }


def _clusters(state: State, query: dict[str, str]) -> Answer:
    found = [key for key, one in state.objects.items() if one["kind"] == clusters.CLUSTER]
    return {"clusters": [_cluster(state, query, key) for key in found]}


def _node_pool(state: State, resource_id: str) -> dict[str, Any]:
    inputs, outputs = state.objects[resource_id]["inputs"], state.objects[resource_id]["outputs"]
    config = inputs.get("nodeConfig") or {}
    told = ("machineType", "bootDisk", "spot", "labels", "taints")
    return {
        "name": inputs["name"],
        "status": outputs.get("status", "RUNNING"),
        "conditions": outputs.get("conditions", []),
        "config": {key: config[key] for key in told if key in config},
        "instanceGroupUrls": [compute.group_address(resource_id)],
    }


def _delete_cluster(state: State, _query: dict[str, str], cluster: str) -> Answer:
    if cluster not in state.objects:
        return None
    state.events.append(f"delete by REST {cluster.rpartition('/')[2]}")
    clusters.remove_cluster(state, cluster)
    return {"name": "operation-1", "status": "RUNNING"}


def _operation(_state: State, _query: dict[str, str]) -> Answer:
    return {"name": "operation-1", "status": "DONE"}


def _listed(
    key: str, kind: str, view: Callable[[str, dict[str, Any]], dict[str, Any]]
) -> Callable[..., Answer]:
    def listing(state: State, _query: dict[str, str], **_: str) -> Answer:
        found = [view(one, value["outputs"]) for one, value in state.objects.items() if value["kind"] == kind]
        return {key: found + state.leftovers.get(key, [])}

    return listing


def _services(state: State, _query: dict[str, str]) -> Answer:
    return {
        "services": [
            {"config": {"name": f"{one}.googleapis.com"}, "state": "ENABLED"} for one in state.enabled
        ]
    }


def _billing(state: State, _query: dict[str, str]) -> Answer:
    return {
        "billingEnabled": not state.leftovers.get("billing is off"),
        "billingAccountName": "billingAccounts/0",
    }


_CLUSTER = r"/container/v1/(?P<cluster>projects/[^/]+/locations/[^/]+/clusters/[^/]+(/nodePools/[^/]+)?)"
_GROUP = rf"GET {_COMPUTE}/zones/[^/]+/instanceGroupManagers/(?P<name>[^/]+)"
_ROUTES: tuple[tuple[str, Callable[..., Answer]], ...] = (
    (rf"GET {_COMPUTE}", compute.project),
    (rf"GET {_COMPUTE}/regions/(?P<region>[^/]+)", compute.region),
    (rf"GET {_COMPUTE}/zones", compute.zones),
    (rf"GET {_COMPUTE}/zones/(?P<zone>[^/]+)/machineTypes", compute.machine_types),
    (rf"GET {_COMPUTE}/aggregated/(?P<collection>\w+)", compute.aggregated),
    (rf"DELETE {_COMPUTE}/zones/(?P<zone>[^/]+)/disks/(?P<name>[^/]+)", compute.delete_disk),
    (rf"GET {_COMPUTE}/global/(?P<collection>\w+)", compute.everywhere),
    (_GROUP, compute.group),
    (rf"{_GROUP}/listErrors", compute.group_errors),
    (rf"GET /container/v1/projects/{PROJECT}/locations/-/clusters", _clusters),
    (rf"GET {_CLUSTER}", _cluster),
    (rf"DELETE {_CLUSTER}", _delete_cluster),
    (rf"GET /container/v1/projects/{PROJECT}/locations/[^/]+/operations/[^/]+", _operation),
    (
        rf"GET /iam/v1/projects/{PROJECT}/serviceAccounts",
        _listed("accounts", "gcp:serviceaccount/account:Account", lambda _id, out: {"email": out["email"]}),
    ),
    (
        rf"GET /artifactregistry/v1/projects/{PROJECT}/locations/[^/]+/repositories",
        _listed(
            "repositories", "gcp:artifactregistry/repository:Repository", lambda one, _out: {"name": one}
        ),
    ),
    (
        r"GET /storage/storage/v1/b",
        _listed(
            "items",
            "gcp:storage/bucket:Bucket",
            lambda one, out: {"name": one, "labels": out.get("labels", {})},
        ),
    ),
    (rf"GET /serviceusage/v1/projects/{PROJECT}/services", _services),
    (rf"GET /cloudbilling/v1/projects/{PROJECT}/billingInfo", _billing),
    (
        rf"GET /cloudresourcemanager/v3/projects/{PROJECT}",
        lambda _state, _query: {"projectId": PROJECT, "state": "ACTIVE"},
    ),
)
