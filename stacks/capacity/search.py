"""The search for a layout: every option that the settings allow, judged by quota, speed and price.

Speeds within `TIE` of each other count as the same, since the prediction is no better than that; the cheaper
layout wins then.
"""

import dataclasses
from collections.abc import Iterator, Sequence

from stacks.capacity import demand, disks, prices
from stacks.capacity.figures import MetricPeak
from stacks.capacity.layouts import lay_out
from stacks.capacity.machines import DISK_METRICS, MachineType
from stacks.capacity.options import Option, machine_types, options, shortfalls
from stacks.capacity.plan import Layout, TemporaryPool
from stacks.capacity.quotas import CPUS_ALL_REGIONS, INSTANCES, Quotas
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import Arrangement, Shortfall
from stacks.capacity.speed import StepTimeModel, WorkerPlace

TIE = 0.05
"""Part by which predicted speeds may differ and still count as the same."""

_MOST_LOOKED_AT = 60
_MOST_MAINS_LOOKED_AT = 4


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A layout with the quotas it needs."""

    layout: Layout
    temporary_pool: TemporaryPool
    peaks: tuple[MetricPeak, ...]
    dollars_per_hour: float

    @property
    def fits(self) -> bool:
        """Whether every quota is kept in every phase."""
        return all(peak.fits for peak in self.peaks)

    @property
    def excess(self) -> float:
        """How far over the quotas it is, in parts of each; 0 where it fits."""
        return sum(
            (peak.peak - peak.available) / max(1, peak.available) for peak in self.peaks if not peak.fits
        )


class Search:
    """All that the settings allow under given quotas."""

    def __init__(self, request: PlanRequest, quotas: Quotas, model: StepTimeModel) -> None:
        self._request = request
        self._model = model
        self._machines = machine_types(request)
        self._by_price = sorted(
            self._machines, key=lambda machine: (machine.dollars_per_hour(is_spot=False), machine.name)
        )
        self._left = quotas.without(demand.own_use(request, quotas))

    def best(self) -> Candidate | None:
        """The fastest candidate that fits, the cheapest of those that are as fast."""
        best: Candidate | None = None
        slowest_tie = float("inf")
        for option in sorted(self._possible(), key=lambda option: (self._seconds(option), option.nodes)):
            if self._seconds(option) > slowest_tie:
                break
            found = self._cheapest(option, best.dollars_per_hour if best else float("inf"))
            if found is not None:
                slowest_tie = min(slowest_tie, self._seconds(option) / (1 - TIE))
                best = found
        return best

    def has_any(self) -> bool:
        """Whether any candidate fits."""
        return any(
            candidate.fits
            for option in sorted(self._possible(), key=_size)
            for main in self._mains(option)
            if self._may_fit(option, main)
            for candidate in self._candidates(option, (main,))
        )

    def nearest(self) -> Candidate | Shortfall:
        """The candidate that breaks the quotas least, or why no pods fit on any nodes.

        Looks at the smallest options only, first at those whose workers' nodes alone keep the quotas, then
        at those whose quotas are known.
        """
        everything = list(options(self._request, self._machines))
        known = [option for option in everything if self._is_known(option.shape.worker)]
        for some in (self._possible(), known, everything):
            found: list[Candidate] = []
            for option in sorted(some, key=_size):
                mains = [main for main in self._mains(option) if self._is_known(main)] or self._mains(option)
                found += self._candidates(option, mains[:_MOST_MAINS_LOOKED_AT])
                if len(found) >= _MOST_LOOKED_AT:
                    break
            if found:
                return min(found, key=lambda candidate: (candidate.excess, candidate.dollars_per_hour))
        return min(
            shortfalls(self._request, self._machines), key=lambda shortfall: shortfall.missing_millicores
        )

    def _is_known(self, machine: MachineType) -> bool:
        """Whether all quotas of a machine's CPU are known."""
        return all(
            self._left.get(metric) is not None or not self._left.limits(metric)
            for metric in machine.family.cpu_metrics
        )

    def _possible(self) -> Iterator[Option]:
        """The options whose workers' nodes alone keep the quotas; none where the network alone does not."""
        network = demand.network_use(self._request, nodes=1)
        if not all(self._has(metric, amount) for metric, amount in network.items()):
            return
        for option in options(self._request, self._machines):
            if self._may_fit(option, None):
                yield option

    def _seconds(self, option: Option) -> float:
        request, machine = self._request, option.shape.worker
        place = WorkerPlace(
            cpus=option.share.cpu_millicores / 1000,
            coremark=machine.coremark,
            network_gbit_s=machine.network_gbit_s,
            workers_per_node=option.shape.workers_per_node,
        )
        return self._model.seconds_per_step(request.batch_size, request.workers, request.sync_period, place)

    def _mains(self, option: Option) -> Sequence[MachineType]:
        """Machine types for the nodes that aren't for workers alone, the cheapest first."""
        if option.shape.arrangement is Arrangement.TOGETHER:
            return (option.shape.worker,)
        return self._by_price

    def _cheapest(self, option: Option, below: float) -> Candidate | None:
        """The cheapest candidate of an option that fits and costs less than `below` dollars an hour."""
        best: Candidate | None = None
        workers = 0 if option.shape.arrangement is Arrangement.TOGETHER else option.nodes
        workers_price = workers * option.shape.worker.dollars_per_hour(is_spot=self._request.spot)
        for main in self._mains(option):
            if workers_price + main.dollars_per_hour(is_spot=False) >= below:
                break
            if not self._may_fit(option, main):
                continue
            fitting = next((found for found in self._candidates(option, (main,)) if found.fits), None)
            if fitting is not None and fitting.dollars_per_hour < below:
                best, below = fitting, fitting.dollars_per_hour
        return best

    def _candidates(self, option: Option, mains: Sequence[MachineType]) -> Iterator[Candidate]:
        """Candidates with each machine type for the other nodes, the preferred disks first."""
        for main in mains:
            layout = lay_out(self._request, dataclasses.replace(option.shape, main=main))
            if isinstance(layout, Shortfall):
                continue
            for typed in disks.with_types(self._request, layout):
                ordered = demand.in_safe_order(self._request, typed)
                dollars = prices.cost(self._request, ordered, 0).dollars_per_hour
                for temporary in disks.temporary_pools(ordered):
                    peaks = demand.peaks(self._request, ordered, temporary, self._left)
                    yield Candidate(ordered, temporary, peaks, dollars)

    def _may_fit(self, option: Option, main: MachineType | None) -> bool:
        """Whether the workers' nodes, with one further node or without, keep the quotas of CPU and disk."""
        request = self._request
        vcpus, nodes = option.nodes * option.shape.worker.vcpus, option.nodes
        is_apart = option.shape.arrangement is not Arrangement.TOGETHER
        if is_apart:
            vcpus, nodes = vcpus + (main.vcpus if main else 1), nodes + 1
        if request.vcpu_budget and vcpus > request.vcpu_budget:
            return False
        if not self._has(CPUS_ALL_REGIONS, vcpus) or not self._has(INSTANCES, nodes):
            return False
        is_spot = is_apart and request.spot
        own = demand.regional_cpu_metrics(option.shape.worker.family, self._left, is_spot=is_spot)
        if not all(self._has(metric, option.nodes * option.shape.worker.vcpus) for metric in own):
            return False
        types = option.shape.worker.family.disk_types if request.disk_type == "auto" else (request.disk_type,)
        return any(self._has(DISK_METRICS[disk_type], option.nodes * request.disk_gb) for disk_type in types)

    def _has(self, metric: str, amount: int) -> bool:
        quota = self._left.get(metric)
        if quota is None:
            return not self._left.limits(metric)
        return amount <= quota.available


def _size(option: Option) -> tuple[int, str]:
    return option.nodes * option.shape.worker.vcpus, option.shape.worker.name
