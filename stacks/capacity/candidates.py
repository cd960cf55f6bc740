"""Candidates: layouts with their disks, temporary pool, use of every quota, and price."""

import dataclasses
from collections.abc import Iterator, Sequence

from stacks.capacity import demand, disks, prices
from stacks.capacity.figures import MetricPeak
from stacks.capacity.layouts import lay_out, runs_disk
from stacks.capacity.machines import DISK_METRICS, MachineType
from stacks.capacity.options import Option
from stacks.capacity.plan import Layout, Pool, TemporaryPool
from stacks.capacity.quotas import CPUS_ALL_REGIONS, INSTANCES, Quotas
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import Arrangement


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A layout with the quotas it needs.

    Attributes:
        layout: Pools and pods.
        temporary_pool: The pool while the cluster is created.
        peaks: Use of every quota.
        dollars_per_hour: Price of all of it.
        is_squeezed: Whether interface, training or master get less than the settings want.
    """

    layout: Layout
    temporary_pool: TemporaryPool
    peaks: tuple[MetricPeak, ...]
    dollars_per_hour: float
    is_squeezed: bool

    @property
    def rank(self) -> tuple[bool, float]:
        """Order among candidates that are as fast, the less the better: pods' sizes as wanted, then price."""
        return self.is_squeezed, self.dollars_per_hour

    @property
    def fits(self) -> bool:
        """Whether every quota is kept in every phase."""
        return all(peak.fits for peak in self.peaks)

    @property
    def excess(self) -> float:
        """How far over the quotas it is, in parts of each; 0 where it fits."""
        over = (peak for peak in self.peaks if not peak.fits)
        return sum((peak.peak - peak.available) / max(1, peak.available) for peak in over)


@dataclasses.dataclass(frozen=True)
class Maker:
    """Makes the candidates of one request.

    Attributes:
        request: What is planned for.
        left: The quotas, the stack's own use taken out.
    """

    request: PlanRequest
    left: Quotas

    def of_option(self, option: Option, mains: Sequence[MachineType]) -> Iterator[Candidate]:
        """Candidates with each machine type for the other nodes, the preferred disks first."""
        for main in mains:
            layout = lay_out(self.request, dataclasses.replace(option.shape, main=main))
            if isinstance(layout, Layout):
                yield from self._of_layout(layout)

    def of_pools(self, pools: tuple[Pool, ...]) -> Iterator[Candidate]:
        """Candidates of bare nodes, for pods that don't fit on them."""
        disk = runs_disk(self.request, pools)
        yield from self._of_layout(Layout(pools=pools, pods=(), loads=(), workers_per_node=1, runs_disk=disk))

    def may_fit(self, option: Option, main: MachineType | None) -> bool:
        """Whether the workers' nodes, with one further node or without, keep the quotas of CPU and disk.

        A quick look before the layout is made; what it lets through may still not fit.
        """
        request, machine = self.request, option.shape.worker
        own_vcpus = option.nodes * machine.vcpus
        is_apart = option.shape.arrangement is not Arrangement.TOGETHER
        vcpus = own_vcpus + ((main.vcpus if main else 1) if is_apart else 0)
        if request.vcpu_budget and vcpus > request.vcpu_budget:
            return False
        if not self.has(CPUS_ALL_REGIONS, vcpus) or not self.has(INSTANCES, option.nodes + is_apart):
            return False
        is_spot = is_apart and request.spot
        own = demand.regional_cpu_metrics(machine.family, self.left, is_spot=is_spot)
        if not all(self.has(metric, own_vcpus) for metric in own):
            return False
        types = machine.family.disk_types if request.disk_type == "auto" else (request.disk_type,)
        return any(self.has(DISK_METRICS[disk_type], option.nodes * request.disk_gb) for disk_type in types)

    def has(self, metric: str, amount: int) -> bool:
        """Whether so much of a metric is left."""
        quota = self.left.get(metric)
        if quota is None:
            return not self.left.limits(metric)
        return amount <= quota.available

    def _of_layout(self, layout: Layout) -> Iterator[Candidate]:
        """A layout with each choice of disks and temporary pool, the preferred ones first."""
        sizes = self.request.sizes
        is_squeezed = any(pod.size != sizes[pod.kind] for pod in layout.pods if pod.kind != "worker")
        for typed in disks.with_types(self.request, layout):
            ordered = demand.in_safe_order(self.request, typed)
            dollars = prices.cost(self.request, ordered, 0).dollars_per_hour
            for temporary in disks.temporary_pools(ordered):
                peaks = demand.peaks(self.request, ordered, temporary, self.left)
                yield Candidate(ordered, temporary, peaks, dollars, is_squeezed)
