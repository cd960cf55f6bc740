"""GKE clusters and their node pools as the container API describes them now.

Reading, and the two deletions that the GCP provider doesn't do: of a cluster that an interrupted `up` left
behind, and of the temporary pool that a failed creation left in a cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provider.gcp.refusals import GoogleError, NotFoundError
from provider.gcp.rest import Google

TEMPORARY_POOL = "default-pool"
"""Name that GKE gives to the pool without which it creates no cluster."""

_DEFAULT_DISK_TYPE, _DEFAULT_DISK_GB = "pd-balanced", 100
"""What GKE takes where nobody says otherwise."""


@dataclass(frozen=True, kw_only=True)
class NodePool:
    """A node pool as it exists.

    Attributes:
        name: Name in GKE.
        status: ``RUNNING``, ``PROVISIONING``, ``RUNNING_WITH_ERROR``, ``ERROR`` and so on.
        conditions: What GKE says of it, ``CODE: message`` each.
        machine_type: Machine type of its nodes.
        disk_type: Type of their boot disks.
        disk_gb: Size of their boot disks.
        is_spot: Whether they are Spot machines.
        labels: Kubernetes labels of the nodes.
        is_tainted: Whether they carry any taint.
        instance_groups: Addresses of the managed groups that hold the nodes, one a zone.
    """

    name: str
    status: str
    conditions: tuple[str, ...]
    machine_type: str
    disk_type: str
    disk_gb: int
    is_spot: bool
    labels: Mapping[str, str]
    is_tainted: bool
    instance_groups: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster as it exists.

    Attributes:
        name: Name in GKE.
        status: ``RUNNING``, ``PROVISIONING``, ``ERROR``, ``STOPPING`` and so on.
        status_message: What GKE says of it; often empty.
        labels: Its labels.
        node_pools: Its pools.
    """

    name: str
    status: str
    status_message: str
    labels: Mapping[str, str]
    node_pools: tuple[NodePool, ...]


@dataclass(frozen=True, kw_only=True)
class NodeCount:
    """How many nodes a pool has.

    Attributes:
        wanted: Nodes that it is meant to have now.
        running: Nodes that run and are not about to be changed.
    """

    wanted: int
    running: int


def cluster_path(zone: str, name: str) -> str:
    """Path of a cluster in the container API; the project is filled in by the client."""
    return f"/v1/projects/{{project}}/locations/{zone}/clusters/{name}"


def find_cluster(google: Google, zone: str, name: str) -> Cluster | None:
    """The cluster of a name, or None where there is none.

    Raises:
        GoogleError: It cannot be read.
    """
    try:
        return _cluster(google.get("container", cluster_path(zone, name)))
    except NotFoundError:
        return None


def find_clusters(google: Google, name: str) -> list[Cluster]:
    """Clusters of a name, wherever in the project they are.

    Raises:
        GoogleError: They cannot be read.
    """
    found = google.get("container", "/v1/projects/{project}/locations/-/clusters")
    return [_cluster(one) for one in found.get("clusters", ()) if one["name"] == name]


def count_nodes(google: Google, pool: NodePool) -> NodeCount:
    """Nodes of a pool, from its managed instance groups: GKE itself tells only how many it began with.

    Raises:
        GoogleError: They cannot be read.
    """
    groups = [google.get("compute", _group_path(address)) for address in pool.instance_groups]
    return NodeCount(
        wanted=sum(int(group.get("targetSize", 0)) for group in groups),
        running=sum(int(group.get("currentActions", {}).get("none", 0)) for group in groups),
    )


def node_errors(google: Google, pool: NodePool) -> list[str]:
    """Why nodes of a pool could not be made, newest first, ``CODE: message`` each, without repetitions.

    Raises:
        GoogleError: They cannot be read.
    """
    found: list[str] = []
    for address in pool.instance_groups:
        listed = google.get("compute", f"{_group_path(address)}/listErrors")
        errors = [entry.get("error", {}) for entry in listed.get("items", ())]
        found += [f"{error.get('code', 'UNKNOWN')}: {error.get('message', '')}" for error in errors]
    return list(dict.fromkeys(found))


def start_deletion(google: Google, zone: str, path: str) -> str:
    """Ask for the deletion of a cluster or of a pool, given its path; return the operation's path.

    Raises:
        GoogleError: It is refused.
    """
    operation = google.call("DELETE", "container", path)
    return f"/v1/projects/{{project}}/locations/{zone}/operations/{operation['name']}"


def is_done(google: Google, operation_path: str) -> bool:
    """Whether an operation has ended.

    Raises:
        GoogleError: It ended with an error, or cannot be read.
    """
    operation = google.get("container", operation_path)
    if operation.get("status") != "DONE":
        return False
    error = operation.get("error")
    if error:
        raise GoogleError(
            f"{operation.get('operationType', 'the operation')} failed: {error.get('message', error)}"
        )
    return True


def _cluster(found: Mapping[str, Any]) -> Cluster:
    return Cluster(
        name=found["name"],
        status=str(found.get("status", "")),
        status_message=str(found.get("statusMessage", "")),
        labels=dict(found.get("resourceLabels", {})),
        node_pools=tuple(_node_pool(pool) for pool in found.get("nodePools", ())),
    )


def _group_path(address: str) -> str:
    return f"/compute/v1/projects/{address.partition('/projects/')[2]}"


def _node_pool(pool: Mapping[str, Any]) -> NodePool:
    config = pool.get("config", {})
    boot_disk = config.get("bootDisk", {})
    return NodePool(
        name=pool["name"],
        status=str(pool.get("status", "")),
        conditions=tuple(
            f"{one.get('canonicalCode') or one.get('code', 'UNKNOWN')}: {one.get('message', '')}".strip(": ")
            for one in pool.get("conditions", ())
        ),
        machine_type=str(config.get("machineType", "")),
        disk_type=str(boot_disk.get("diskType") or config.get("diskType", _DEFAULT_DISK_TYPE)),
        disk_gb=int(boot_disk.get("sizeGb") or config.get("diskSizeGb", _DEFAULT_DISK_GB)),
        is_spot=bool(config.get("spot", False)),
        labels=dict(config.get("labels", {})),
        is_tainted=bool(config.get("taints")),
        instance_groups=tuple(pool.get("instanceGroupUrls", ())),
    )
