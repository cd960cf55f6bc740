"""The disks of volumes that were claimed in a cluster.

The cluster itself deletes them, a while after the claims. A cluster that is deleted before that leaves them
behind for good.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provider.errors import ProviderError
from provider.gcp.refusals import GoogleError
from provider.gcp.rest import Google
from provider.operation import Operation

OWNER_LABEL = "tfcluster-owner"
"""Label with the stack's life; the components write it."""

DEADLINE_S = 180.0
PERIOD_S = 4.0

_CLAIMED = "pvc-"
"""How the names of disks begin that Kubernetes makes for claims; boot disks carry the same labels."""


@dataclass(frozen=True)
class ClaimedDisk:
    """A volume's disk, and the zone that it is in."""

    name: str
    zone: str


def claimed_disks(google: Google, labels: Mapping[str, str]) -> list[ClaimedDisk]:
    """The disks of volumes with these labels.

    Raises:
        GoogleError: They cannot be read.
    """
    found: list[ClaimedDisk] = []
    for page in google.pages("compute", "/compute/v1/projects/{project}/aggregated/disks", maxResults="500"):
        places: Mapping[str, Any] = page.get("items", {})
        for scope, place in places.items():
            found += [
                ClaimedDisk(str(disk["name"]), scope.partition("/")[2])
                for disk in place.get("disks", ())
                if disk["name"].startswith(_CLAIMED) and labels.items() <= disk.get("labels", {}).items()
            ]
    return found


def delete_orphans(operation: Operation, google: Google, labels: Mapping[str, str]) -> None:
    """Delete the disks of volumes whose cluster is gone, as nobody else will; say so.

    Args:
        operation: Whose lines these are.
        google: Client for the project.
        labels: Labels of this life of the stack; no other's disk may be touched.
    """
    try:
        for disk in claimed_disks(google, labels):
            path = f"/compute/v1/projects/{{project}}/zones/{disk.zone}/disks/{disk.name}"
            google.call("DELETE", "compute", path)
            operation.progress.say(f"deleted disk {disk.name} in {disk.zone}, whose cluster is gone")
    except GoogleError as error:
        operation.progress.warn(f"the disks of volumes whose cluster is gone could not be deleted: {error}")


def wait_until_deleted(
    operation: Operation, google: Google, labels: Mapping[str, str], deadline_s: float = DEADLINE_S
) -> None:
    """Give the cluster time to delete the disks of volumes whose claims are gone.

    What is left at the deadline, or cannot be looked at, is only warned of: the inventory looks again at the
    end of `destroy`.

    Raises:
        InterruptedByUser: The user interrupted.
    """
    left: list[str] = []

    def are_gone() -> bool:
        nonlocal left
        left = [disk.name for disk in claimed_disks(google, labels)]
        return not left

    try:
        operation.wait_until(
            "the volumes' disks to be deleted",
            are_gone,
            deadline_s=deadline_s,
            setting="the patience",
            status=lambda: ", ".join(left),
            period_s=PERIOD_S,
        )
    except GoogleError as error:
        operation.progress.warn(f"the volumes' disks could not be looked at: {error}")
    except ProviderError as error:
        if type(error) is not ProviderError:
            raise
        operation.progress.warn(
            f"the cluster has not deleted {', '.join(left)} within {deadline_s:g} s; it is deleted all the"
            " same"
        )
