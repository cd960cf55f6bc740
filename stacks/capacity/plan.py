"""What a planned GKE cluster consists of: the words in which the plan speaks to components and report.

Plain frozen values. How they are chosen stands in `planner` and the modules it uses; nothing here decides
anything, and nothing here knows Pulumi.
"""

import dataclasses
from collections.abc import Mapping
from typing import Literal

from stacks.capacity.figures import Cost, MetricPeak, Prediction
from stacks.topology import Role

PodKind = Literal["interface", "training", "master", "worker"]
"""Kinds of our pods: the interface and the training Job run on the `if` node."""

NODE_LABELS: Mapping[Role, str] = {role: f"app-{role}" for role in Role}
"""Key of the node label that stands for each role; its value is always ``"true"``.

One key a role, so that one node may carry several roles. Pods select nodes by it.
"""

TAINT_KEY = "app-worker-only"
"""Key of the taint on nodes that are for workers alone; it keeps Kubernetes' own pods off them."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Taint:
    """A node taint in the words of GKE's API."""

    key: str = TAINT_KEY
    value: str = "true"
    effect: Literal["NO_SCHEDULE"] = "NO_SCHEDULE"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Disk:
    """A disk: a node's boot disk or the volume that keeps the runs.

    Attributes:
        type: One of `machines.DISK_METRICS`, e.g. ``pd-balanced``.
        size_gb: Size in GB as Google counts quota, which is GiB.
    """

    type: str
    size_gb: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pool:
    """One node pool.

    Attributes:
        key: What the pool is for: ``main``, ``if``, ``master`` or ``workers``; its logical name.
        machine_type: Compute Engine machine type of every node.
        node_count: Nodes in the one zone of the cluster.
        roles: Roles that may run here, hence the node labels.
        is_spot: Whether the nodes are Spot machines.
        is_tainted: Whether only workers may run here.
        disk: Boot disk of every node.
    """

    key: str
    machine_type: str
    node_count: int
    roles: tuple[Role, ...]
    is_spot: bool
    is_tainted: bool
    disk: Disk

    @property
    def name(self) -> str:
        """The pool's name in GKE.

        It names the machine type, so that another type is another pool, deleted before it is created. A pool
        resized and retyped in place could exceed the quota between the two steps.
        """
        return f"{self.key}-{self.machine_type}"

    @property
    def labels(self) -> dict[str, str]:
        """Node labels, one for each role."""
        return {NODE_LABELS[role]: "true" for role in self.roles}

    @property
    def taints(self) -> tuple[Taint, ...]:
        """Node taints, none or one."""
        return (Taint(),) if self.is_tainted else ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class TemporaryPool:
    """The pool that GKE insists on while a cluster is created; it is deleted before ours are made."""

    machine_type: str
    disk: Disk
    node_count: int = 1


@dataclasses.dataclass(frozen=True)
class PodSize:
    """What a pod asks for: CPU in thousandths of a vCPU, memory in MiB."""

    cpu_millicores: int
    memory_mib: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pod:
    """What each pod of one kind asks for; requests and limits are the same numbers.

    Attributes:
        kind: ``interface`` and ``training`` (both on the `if` node), ``master`` or ``worker``.
        role: Role whose node label the pod selects.
        count: Number of such pods.
        cpu_millicores: CPU time in thousandths of a vCPU.
        memory_mib: Memory in MiB.
        tolerates_taint: Whether the pod may run on workers' tainted nodes.
    """

    kind: PodKind
    role: Role
    count: int
    cpu_millicores: int
    memory_mib: int
    tolerates_taint: bool = False

    @property
    def size(self) -> PodSize:
        """CPU and memory of each."""
        return PodSize(self.cpu_millicores, self.memory_mib)

    @property
    def node_selector(self) -> dict[str, str]:
        """Labels that the pod's node must carry."""
        return {NODE_LABELS[self.role]: "true"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class NodeLoad:
    """How one node of a pool is used at its fullest, in thousandths of a vCPU and in MiB.

    Attributes:
        pool: Key of the pool.
        cpu_allocatable: What Kubernetes may give to pods of the node's CPU.
        cpu_system: What Kubernetes' own pods ask for there, growth allowed for.
        cpu_asked: What our pods ask for there.
        memory_allocatable: As `cpu_allocatable`, in MiB.
        memory_system: As `cpu_system`, in MiB.
        memory_asked: As `cpu_asked`, in MiB.
    """

    pool: str
    cpu_allocatable: int
    cpu_system: int
    cpu_asked: int
    memory_allocatable: int
    memory_system: int
    memory_asked: int

    @property
    def cpu_left(self) -> int:
        """Thousandths of a vCPU that nobody asks for."""
        return self.cpu_allocatable - self.cpu_system - self.cpu_asked

    @property
    def memory_left(self) -> int:
        """MiB that nobody asks for."""
        return self.memory_allocatable - self.memory_system - self.memory_asked


@dataclasses.dataclass(frozen=True, kw_only=True)
class Layout:
    """Pools and pods that belong together, before anything is said about quotas.

    Attributes:
        pools: In the order in which they are to be created, each after the one before.
        pods: One entry a kind.
        loads: One entry for each different node, in the pools' order.
        workers_per_node: Largest number of workers that share a node.
        runs_disk: The volume that keeps the runs, used on the `if` node.
    """

    pools: tuple[Pool, ...]
    pods: tuple[Pod, ...]
    loads: tuple[NodeLoad, ...]
    workers_per_node: int
    runs_disk: Disk

    def pool(self, role: Role) -> Pool:
        """The pool on which a role runs."""
        return next(pool for pool in self.pools if role in pool.roles)

    def pod(self, kind: PodKind) -> Pod:
        """What a pod of a kind asks for."""
        return next(pod for pod in self.pods if pod.kind == kind)

    @property
    def node_count(self) -> int:
        """Nodes of all pools."""
        return sum(pool.node_count for pool in self.pools)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """A cluster that fits.

    Attributes:
        stack: Name of the Pulumi stack.
        zone: Compute Engine zone, e.g. ``us-central1-a``.
        workers: Workers planned; fewer than asked for only with `fit`.
        workers_asked: Workers asked for.
        layout: Pools and pods.
        temporary_pool: Shape of the pool that exists only while the cluster is created.
        peaks: One entry for each metric used.
        cost: Dollars.
        prediction: Speed.
        warnings: Sentences for people.
    """

    stack: str
    zone: str
    workers: int
    workers_asked: int
    layout: Layout
    temporary_pool: TemporaryPool
    peaks: tuple[MetricPeak, ...]
    cost: Cost
    prediction: Prediction
    warnings: tuple[str, ...]

    @property
    def region(self) -> str:
        """The zone's region, e.g. ``us-central1``."""
        return self.zone.rpartition("-")[0]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Refusal:
    """No cluster: everything that is wrong, at once.

    Attributes:
        stack: Name of the Pulumi stack.
        zone: Zone asked for.
        workers: Workers asked for.
        problems: Sentences, each with value, rule, arithmetic and a way out.
        largest_fit: Largest number of workers that fits; `None` where that isn't the question.
        nearest: The layout that breaks the quotas least.
        peaks: What that layout needs.
        warnings: Sentences for people.
    """

    stack: str
    zone: str
    workers: int
    problems: tuple[str, ...]
    largest_fit: int | None = None
    nearest: Layout | None = None
    peaks: tuple[MetricPeak, ...] = ()
    warnings: tuple[str, ...] = ()
