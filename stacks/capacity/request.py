"""What a plan is asked for: the settings that decide it, and what is known of zone and running stack."""

import dataclasses
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from stacks.capacity.plan import PodKind, PodSize, Pool


class NodeSharing(StrEnum):
    """Which roles may share a node."""

    ANY = "any"
    """All of them, wherever that leaves most for the workers."""

    SERVICES = "services"
    """`if` and `master` share a node, each worker has one of its own."""

    NONE = "none"
    """Each node has one role, as in the cluster of 2016."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """Everything a plan depends on but the quotas; the settings' meaning stands in `Pulumi.yaml`.

    Attributes:
        stack: Name of the Pulumi stack.
        zone: Compute Engine zone, as the user wrote it.
        machine_type: A machine type, or ``auto``.
        node_sharing: Which roles may share a node.
        sizes: What the settings want each kind of pod to have; a worker's CPU of 0 shares out what there is.
        disk_type: A boot disk type, or ``auto``.
        image_arch: Architecture that the images are built for.
        batch_size: Examples in a step, over all workers.
        sync_period: Steps between two exchanges of the model.
        offered: Machine types that the zone offers; `None` where that wasn't read.
        running: Pools that the stack has now, none before the first `up`.
    """

    stack: str
    zone: str
    workers: int
    vcpu_budget: int
    fit: bool
    machine_type: str
    node_sharing: NodeSharing
    sizes: Mapping[PodKind, PodSize]
    disk_type: str
    disk_gb: int
    runs_disk_gb: int
    spot: bool
    max_surge: int
    private_nodes: bool
    cloud_logging: bool
    batch_size: int
    steps: int
    sync_period: int
    image_arch: Literal["amd64", "arm64"] = "amd64"
    offered: frozenset[str] | None = None
    running: tuple[Pool, ...] = ()

    @property
    def worker_cpu_millicores(self) -> int:
        """CPU that each worker is to have; 0 shares out what there is."""
        return self.sizes["worker"].cpu_millicores

    @property
    def region(self) -> str:
        """Region of the zone, or what was written where it isn't a zone."""
        region, _, letter = self.zone.rpartition("-")
        return region if len(letter) == 1 else self.zone
