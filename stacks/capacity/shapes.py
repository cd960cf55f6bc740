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
from stacks.capacity.plan import PodKind
from stacks.capacity.request import PlanRequest
from stacks.capacity.sharing import NEEDS
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
        sentence: What doesn't fit, with the arithmetic and a way out.
    """

    missing_millicores: int
    sentence: str


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
        needs = NEEDS[kind]
        is_worker = kind == "worker"
        count = request.workers if is_worker else 1
        self.kinds += (kind,)
        self.cpu_kept += count * max(needs.cpu.floor, request.worker_cpu_millicores if is_worker else 0)
        self.memory_kept += count * needs.memory.floor


def bare_node(request: PlanRequest, machine: MachineType, pool: str) -> NodeRoom:
    """A node of a pool that carries only what runs on every node."""
    own = system_pods.node_pod(has_logging=request.cloud_logging)
    return NodeRoom(
        pool=pool,
        cpu=allocatable.cpu_millicores(machine) - own.cpu_millicores,
        memory=allocatable.memory_mib(machine) - own.memory_mib,
    )


@dataclasses.dataclass(frozen=True)
class WorkerShare:
    """What each worker gets: CPU in thousandths of a vCPU, memory in MiB."""

    cpu_millicores: int
    memory_mib: int


def worker_share(request: PlanRequest, cpu: int, memory: int, workers: int) -> WorkerShare | None:
    """What each of `workers` gets of a node's CPU and memory; `None` where that is too little for it."""
    needs = NEEDS["worker"]
    cpu_each = request.worker_cpu_millicores or cpu // workers
    memory_each = min(memory // workers, needs.memory.usual)
    if cpu_each * workers > cpu or cpu_each < needs.cpu.floor or memory_each < needs.memory.floor:
        return None
    return WorkerShare(cpu_each, memory_each)
