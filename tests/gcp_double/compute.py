"""What the compute API says of the double's cloud."""

from collections.abc import Iterator
from typing import Any

from tests.gcp_double import claims, clusters
from tests.gcp_double.cloud import PROJECT, PROJECT_WIDE, REGION, ZONES, State
from tests.gcp_double.machines import machine_type, offered_names

Answer = dict[str, Any] | None
_KINDS = {"networks": "gcp:compute/network:Network", "routers": "gcp:compute/router:Router"}


def project(state: State, _query: dict[str, str]) -> Answer:
    """The project with its quotas."""
    return {"name": PROJECT, "quotas": [_quota(state, metric) for metric in PROJECT_WIDE]}


def region(state: State, _query: dict[str, str], region: str) -> Answer:
    """A region with its quotas."""
    if region != REGION:
        return None
    return {"name": region, "quotas": [_quota(state, one) for one in state.limits if one not in PROJECT_WIDE]}


def _quota(state: State, metric: str) -> dict[str, Any]:
    return {"metric": metric, "limit": state.limits[metric], "usage": state.used(metric)}


def zones(_state: State, _query: dict[str, str]) -> Answer:
    """All zones."""
    others = ("europe-west1-b", "europe-west1-c")
    return {"items": [{"name": name, "status": "UP"} for name in (*ZONES, *others)]}


def machine_types(state: State, _query: dict[str, str], zone: str) -> Answer:
    """The machine types of a zone."""
    if zone not in ZONES:
        return None
    missing = {entry["name"] for entry in state.leftovers.get(f"not offered in {zone}", ())}
    found = [machine_type(name) for name in offered_names() if name not in missing]
    return {
        "items": [
            {
                "name": one.name,
                "guestCpus": one.vcpus,
                "memoryMb": one.memory_mb,
                "architecture": one.architecture,
            }
            for one in found
            if one is not None
        ]
    }


def aggregated(state: State, _query: dict[str, str], collection: str) -> Answer:
    """A zonal or regional collection, by place."""
    if collection == "disks":
        claims.let_disks_go(state)
    scopes: dict[str, Any] = {"zones/europe-west1-b": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}
    for thing in [*_made(state, collection), *state.leftovers.get(collection, ())]:
        place = f"zones/{thing['zone']}" if "zone" in thing else f"regions/{REGION}"
        scopes.setdefault(place, {}).setdefault(collection, []).append(thing)
    return {"items": scopes}


def delete_disk(state: State, _query: dict[str, str], zone: str, name: str) -> Answer:
    """Delete a disk, if it is there."""
    disks = state.leftovers.get("disks", [])
    kept = [one for one in disks if (one["name"], one.get("zone")) != (name, zone)]
    if len(kept) == len(disks):
        return None
    state.events.append(f"delete by REST disk {name}")
    state.leftovers["disks"] = kept
    return {"name": "operation-1", "status": "RUNNING"}


def everywhere(state: State, _query: dict[str, str], collection: str) -> Answer:
    """A global collection."""
    return {"items": [*_made(state, collection), *state.leftovers.get(collection, ())]}


def _made(state: State, collection: str) -> Iterator[dict[str, Any]]:
    for resource_id, found in state.objects.items():
        if found["kind"] == _KINDS.get(collection):
            yield {"name": found["inputs"]["name"], "network": found["inputs"].get("network", "")}
        if found["kind"] == clusters.NODE_POOL and collection == "instances":
            cluster, _, pool = resource_id.partition("/nodePools/")
            zone, name = cluster.split("/")[3], cluster.split("/")[5]
            labels = {"goog-k8s-cluster-name": name, "goog-k8s-cluster-location": zone}
            for index in range(int(found["outputs"].get("actualNodes", 0))):
                yield {"name": f"gke-{name}-{pool}-{index}", "zone": zone, "labels": labels}


def group_address(pool_id: str) -> str:
    """Address of the managed instance group that holds a pool's nodes."""
    zone, cluster, pool = (pool_id.split("/")[place] for place in (3, 5, 7))
    name = f"gke-{cluster}-{pool}-grp"
    return (
        f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/zones/{zone}/instanceGroupManagers/{name}"
    )


def group(state: State, _query: dict[str, str], name: str) -> Answer:
    """A managed instance group."""
    pool = _pool_of(state, name)
    if pool is None:
        return None
    nodes, wanted = int(pool["outputs"].get("actualNodes", 0)), int(pool["inputs"].get("nodeCount", 0))
    return {"name": name, "targetSize": wanted, "currentActions": {"none": nodes, "creating": wanted - nodes}}


def group_errors(state: State, _query: dict[str, str], name: str) -> Answer:
    """Why instances of a group could not be made."""
    pool = _pool_of(state, name)
    return (
        None if pool is None else {"items": [{"error": one} for one in pool["outputs"].get("conditions", ())]}
    )


def _pool_of(state: State, group_name: str) -> dict[str, Any] | None:
    pools = (one for one in state.objects if state.objects[one]["kind"] == clusters.NODE_POOL)
    return next((state.objects[one] for one in pools if group_address(one).endswith(f"/{group_name}")), None)
