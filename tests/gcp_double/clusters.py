"""GKE clusters and node pools of the double's cloud, with the quirks seen on the real provider.

A cluster is made with a temporary pool, which counts against the quotas; a creation that fails after it was
accepted leaves that pool behind; a pool whose creation fails for a stock-out is reported as made; deletion
protection guards the call that deletes the cluster and nothing else.
"""

import hashlib
import uuid
from collections.abc import Mapping
from typing import Any

from tests.gcp_double.cloud import PROJECT, CloudError, State
from tests.gcp_double.diff import changed_paths
from tests.gcp_double.machines import nodes_use

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"

CLUSTER_REPLACES = (
    "name",
    "location",
    "network",
    "subnetwork",
    "description",
    "clusterIpv4Cidr",
    "ipAllocationPolicy",
    "privateClusterConfig.masterIpv4CidrBlock",
    "datapathProvider",
    "networkingMode",
    "defaultMaxPodsPerNode",
    "initialNodeCount",
    "nodeConfig",
)
NODE_POOL_REPLACES = (
    "name",
    "cluster",
    "location",
    "initialNodeCount",
    "maxPodsPerNode",
    "placementPolicy",
    *(
        f"nodeConfig.{field}"
        for field in (
            "spot",
            "preemptible",
            "oauthScopes",
            "serviceAccount",
            "metadata",
            "guestAccelerators",
            "localSsdCount",
            "minCpuPlatform",
            "shieldedInstanceConfig",
            "reservationAffinity",
            "advancedMachineFeatures",
        )
    ),
)
_ROLLED = ("nodeConfig.machineType", "nodeConfig.bootDisk", "nodeConfig.diskSizeGb", "nodeConfig.diskType")

Values = Mapping[str, Any]


class InitialisationError(Exception):
    """The resource exists, but its creation failed afterwards; carries its id and outputs."""

    def __init__(self, resource_id: str, outputs: dict[str, Any], reason: str) -> None:
        super().__init__(reason)
        self.resource_id = resource_id
        self.outputs = outputs


def cluster_id(inputs: Values) -> str:
    """Id of a cluster."""
    return f"projects/{PROJECT}/locations/{inputs['location']}/clusters/{inputs['name']}"


def node_pool_id(inputs: Values) -> str:
    """Id of a node pool; its cluster may be given by id or by name."""
    cluster = str(inputs["cluster"])
    if "/" not in cluster:
        cluster = cluster_id({"location": inputs["location"], "name": cluster})
    return f"{cluster}/nodePools/{inputs['name']}"


def create_cluster(state: State, inputs: Values) -> tuple[str, dict[str, Any]]:
    """Make a cluster, its temporary pool first.

    Raises:
        CloudError: A quota is too small for the temporary pool, or the cluster exists.
        InitialisationError: The creation was accepted and failed then.
    """
    resource_id = cluster_id(inputs)
    if resource_id in state.objects:
        raise CloudError(f"googleapi: Error 409: Already exists: {resource_id}., alreadyExists")
    account = (inputs.get("nodeConfig") or {}).get("serviceAccount")
    state.require(*(inputs[field] for field in ("network", "subnetwork") if field in inputs))
    state.require(*([f"projects/{PROJECT}/serviceAccounts/{account}"] if account else []))
    temporary = f"{resource_id}/nodePools/default-pool"
    nodes = int(inputs.get("initialNodeCount", 1)) * _zones(inputs)
    state.occupy(temporary, nodes_use(nodes, inputs.get("nodeConfig"), _has_public_nodes(inputs)))
    outputs = _cluster_outputs(inputs, state.cluster_endpoint)
    made = {"kind": CLUSTER, "inputs": dict(inputs), "outputs": outputs, "uid": str(uuid.uuid4())}
    state.objects[resource_id] = made
    fault = state.take_fault("create", CLUSTER, "fails-after-acceptance")
    if fault is not None:
        node_config = inputs.get("nodeConfig") or {"machineType": "e2-medium"}
        pool = {"name": "default-pool", "nodeCount": nodes, "cluster": resource_id, "nodeConfig": node_config}
        state.objects[temporary] = {"kind": NODE_POOL, "inputs": pool, "outputs": pool}
        raise InitialisationError(
            resource_id, outputs, f"Error waiting for creating GKE cluster: {fault.message}"
        )
    state.release(temporary)
    return resource_id, outputs


def delete_cluster(state: State, resource_id: str, old: Values) -> None:
    """Delete a cluster and what is on it.

    Raises:
        CloudError: The state says that it is protected.
    """
    if old.get("deletionProtection", True):
        raise CloudError(
            "Cannot destroy cluster because deletion_protection is set to true. Set it to false to proceed"
            " with cluster deletion."
        )
    if state.take_fault("delete", CLUSTER, "orphan-disk") and resource_id in state.objects:
        labels = dict(state.objects[resource_id]["inputs"].get("resourceLabels", {}))
        zone = resource_id.split("/")[3]
        disk = {"name": "pvc-0001", "zone": zone, "labels": labels, "sizeGb": "10"}
        state.leftovers.setdefault("disks", []).append(disk)
    remove_cluster(state, resource_id)


def remove_cluster(state: State, resource_id: str) -> None:
    """What the API's own delete does, whatever any provider's state says."""
    for other in [key for key in state.objects if key == resource_id or key.startswith(f"{resource_id}/")]:
        del state.objects[other]
    state.in_cluster.clear()
    for consumer in [key for key in state.use if key.startswith(f"{resource_id}/")]:
        state.release(consumer)


def create_node_pool(state: State, inputs: Values) -> tuple[str, dict[str, Any]]:
    """Make a node pool.

    Raises:
        CloudError: The cluster does not exist, or a quota is too small.
    """
    resource_id = node_pool_id(inputs)
    cluster = state.objects.get(resource_id.rpartition("/nodePools/")[0])
    if cluster is None:
        raise CloudError(
            f"googleapi: Error 404: Not found: {resource_id.rpartition('/nodePools/')[0]}., notFound"
        )
    account = (inputs.get("nodeConfig") or {}).get("serviceAccount")
    if account and not any(key.endswith(f"/serviceAccount:{account}") for key in state.objects):
        raise CloudError(f"googleapi: Error 400: {account} has no role in the project, failedPrecondition")
    fault = state.take_fault("create", NODE_POOL, "stock-out")
    nodes = 0 if fault else int(inputs["nodeCount"]) * _zones(inputs)
    state.occupy(
        resource_id, nodes_use(nodes, inputs.get("nodeConfig"), _has_public_nodes(cluster["inputs"]))
    )
    outputs = {
        **inputs,
        "status": "ERROR" if fault else "RUNNING",
        "version": "1.35.1-gke.1000",
        "actualNodes": nodes,
    }
    if fault:
        outputs["conditions"] = [{"code": "GCE_STOCKOUT", "message": fault.message}]
    state.objects[resource_id] = {"kind": NODE_POOL, "inputs": dict(inputs), "outputs": outputs}
    return resource_id, outputs


def update_node_pool(state: State, resource_id: str, old: Values, new: Values) -> dict[str, Any]:
    """Change a pool in place; what needs new nodes is rolled with the pool's own upgrade settings.

    Raises:
        CloudError: A quota is too small at the peak of the change.
    """
    cluster = state.objects[resource_id.rpartition("/nodePools/")[0]]
    public = _has_public_nodes(cluster["inputs"])
    state.occupy(resource_id, nodes_use(int(new["nodeCount"]) * _zones(new), new.get("nodeConfig"), public))
    rolled = [path for path in changed_paths(old, new) if path.startswith(_ROLLED)]
    surge = int((new.get("upgradeSettings") or {"maxSurge": 1}).get("maxSurge", 1)) if rolled else 0
    state.occupy(f"{resource_id}/surge", nodes_use(surge, new.get("nodeConfig"), public))
    state.release(f"{resource_id}/surge")
    outputs = {
        **state.objects[resource_id]["outputs"],
        **new,
        "actualNodes": int(new["nodeCount"]) * _zones(new),
    }
    state.objects[resource_id] = {"kind": NODE_POOL, "inputs": dict(new), "outputs": outputs}
    return outputs


def _cluster_outputs(inputs: Values, endpoint: str) -> dict[str, Any]:
    digest = hashlib.sha256(cluster_id(inputs).encode()).hexdigest()
    endpoints = dict(inputs.get("controlPlaneEndpointsConfig") or {})
    dns = dict(endpoints.get("dnsEndpointConfig") or {})
    dns["endpoint"] = endpoint or f"gke-{digest[:12]}.{inputs['location']}.gke.goog"
    return {
        **inputs,
        "project": PROJECT,
        "endpoint": "203.0.113.10",
        "selfLink": f"https://container.googleapis.com/v1/{cluster_id(inputs)}",
        "masterVersion": "1.35.1-gke.1000",
        "masterAuth": {**(inputs.get("masterAuth") or {}), "clusterCaCertificate": "Y2VydGlmaWNhdGU="},
        "controlPlaneEndpointsConfig": {**endpoints, "dnsEndpointConfig": dns},
        "status": "RUNNING",
    }


def _zones(inputs: Values) -> int:
    location = str(inputs["location"])
    return len(inputs.get("nodeLocations") or ()) or (1 if location.count("-") == 2 else 3)


def _has_public_nodes(cluster: Values) -> bool:
    return not (cluster.get("privateClusterConfig") or {}).get("enablePrivateNodes", False)
