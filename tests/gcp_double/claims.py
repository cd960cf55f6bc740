"""Volumes of the double's cluster: a claim has a disk, which outlives it for a while.

The cluster deletes the disk some time after the claim; a cluster that is gone by then never does.
"""

from typing import Any

from tests.gcp_double.cloud import State

LOOKS = 2
"""How often a disk is still seen after its claim was deleted."""


def make_disk(state: State, key: str, claim: dict[str, Any]) -> None:
    """Make the disk of a claim, labelled as its class says."""
    storage_class = state.in_cluster.get(f"StorageClass//{claim['spec'].get('storageClassName', '')}", {})
    labels = storage_class.get("parameters", {}).get("labels", "")
    (zone,) = {one.split("/")[3] for one in state.objects if "/clusters/" in one}
    disk = {
        "name": f"pvc-{state.cluster_uid[:8]}",
        "zone": zone,
        "labels": dict(label.split("=") for label in labels.split(",") if label),
        "claim": key,
    }
    state.leftovers.setdefault("disks", []).append(disk)


def release_disk(state: State, key: str) -> None:
    """Note that a claim is gone."""
    for disk in state.leftovers.get("disks", []):
        if disk.get("claim") == key:
            disk["looks"] = LOOKS


def let_disks_go(state: State) -> None:
    """Let the cluster, if there is one, get on with the disks of claims that are gone."""
    if not state.has_cluster:
        return
    disks = state.leftovers.get("disks", [])
    for disk in disks:
        if "looks" in disk:
            disk["looks"] -= 1
    disks[:] = [disk for disk in disks if disk.get("looks", 1) > 0]
