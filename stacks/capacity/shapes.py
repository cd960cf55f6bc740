"""Shapes: the ways in which roles are spread over nodes of given machine types, and what a bare node leaves.

Three arrangements exist. *Together*: one node carries every role. *Apart*: pool `main` carries `if` and
`master`, workers have tainted nodes of their own, one or several a node. *Single*: one role a node, as in
2016.
"""

import dataclasses
import math
from collections.abc import Mapping
from enum import StrEnum

from stacks.capacity import allocatable, system_pods
from stacks.capacity.machines import MachineType
from stacks.capacity.plan import PodKind, PodSize, Pool
from stacks.capacity.request import PlanRequest
from stacks.capacity.sharing import least
from stacks.topology import Role

ROLE_OF: Mapping[PodKind, Role] = {
    "interface": Role.INTERFACE,
    "training": Role.INTERFACE,
    "master": Role.MASTER,
    "worker": Role.WORKER,
}
"""Role on whose node each kind of pod runs."""


MOST_WORKERS_A_NODE = 90
"""GKE lets a node have 110 pods; this leaves room for Kubernetes' own and the other roles'."""


class Arrangement(StrEnum):
    """How roles are spread over nodes."""

    TOGETHER = "together"
    APART = "apart"
    SINGLE = "single"


@dataclasses.dataclass(frozen=True)
class Shape:
    """One way to lay a cluster out.

    Attributes:
        arrangement: How roles are spread over nodes.
        main: Machine type of the untainted nodes.
        worker: Machine type of the workers' nodes; `main` again where they have none of their own.
        workers_per_node: Most workers on one node.
    """

    arrangement: Arrangement
    main: MachineType
    worker: MachineType
    workers_per_node: int

    def worker_nodes(self, workers: int) -> int:
        """Number of nodes that are for workers alone."""
        return 0 if self.arrangement is Arrangement.TOGETHER else math.ceil(workers / self.workers_per_node)


@dataclasses.dataclass(frozen=True)
class Shortfall:
    """A shape whose pods don't fit on its nodes.

    Attributes:
        missing_millicores: How much CPU is missing, 0 where only memory is: the less, the nearer to fitting.
        sentences: What doesn't fit, each with the arithmetic and a way out.
        pools: The nodes nevertheless, for the arithmetic of the quotas.
    """

    missing_millicores: int
    sentences: tuple[str, ...]
    pools: tuple[Pool, ...] = ()


@dataclasses.dataclass
class NodeRoom:
    """Room on one node, in thousandths of a vCPU and MiB.

    Attributes:
        pool: Key of the node's pool.
        cpu: CPU that pods may have beside those that run on every node.
        memory: Memory that pods may have beside those that run on every node.
        cpu_kept: CPU set aside for our pods.
        memory_kept: Memory set aside for our pods.
        cpu_system: CPU of Kubernetes' own pods placed here.
        memory_system: Memory of Kubernetes' own pods placed here.
        kinds: Our pods that run here.
    """

    pool: str
    cpu: int
    memory: int
    cpu_kept: int = 0
    memory_kept: int = 0
    cpu_system: int = 0
    memory_system: int = 0
    kinds: tuple[PodKind, ...] = ()

    @property
    def cpu_for_ours(self) -> int:
        """CPU that Kubernetes' own pods leave."""
        return self.cpu - self.cpu_system

    @property
    def memory_for_ours(self) -> int:
        """Memory that Kubernetes' own pods leave."""
        return self.memory - self.memory_system

    @property
    def is_enough(self) -> bool:
        """Whether all that is set aside has room beside Kubernetes' own pods."""
        return self.cpu_for_ours >= self.cpu_kept and self.memory_for_ours >= self.memory_kept

    def keep(self, request: PlanRequest, kind: PodKind) -> None:
        """Set aside the least that our pods of a kind need."""
        needed = least(request, kind)
        count = request.workers if kind == "worker" else 1
        self.kinds += (kind,)
        self.cpu_kept += count * needed.cpu_millicores
        self.memory_kept += count * needed.memory_mib


def bare_node(request: PlanRequest, machine: MachineType, pool: str) -> NodeRoom:
    """A node of a pool that carries only what runs on every node."""
    own = system_pods.node_pod(has_logging=request.cloud_logging)
    return NodeRoom(
        pool=pool,
        cpu=allocatable.cpu_millicores(machine) - own.cpu_millicores,
        memory=allocatable.memory_mib(machine) - own.memory_mib,
    )


def worker_size(request: PlanRequest, cpu: int, memory: int, workers: int) -> PodSize | None:
    """What each of `workers` gets of a node's CPU and memory; `None` where that is too little for it."""
    needed = least(request, "worker")
    cpu_each = request.worker_cpu_millicores or cpu // workers
    if cpu_each < needed.cpu_millicores or cpu_each * workers > cpu or needed.memory_mib * workers > memory:
        return None
    return PodSize(cpu_each, needed.memory_mib)
