"""The search for a layout: every option that the settings allow, judged by quota, speed and price.

Speeds within `TIE` of each other count as the same, since the prediction is no better than that; the cheaper
layout wins then.
"""

from collections.abc import Iterator, Sequence

from stacks.capacity import demand
from stacks.capacity.candidates import Candidate, Maker
from stacks.capacity.machines import MachineType
from stacks.capacity.options import Option, machine_types, options, shortfalls
from stacks.capacity.quotas import Quotas
from stacks.capacity.request import PlanRequest
from stacks.capacity.shapes import Arrangement
from stacks.capacity.speed import StepTimeModel, WorkerPlace

TIE = 0.05
"""Part by which predicted speeds may differ and still count as the same."""

_WORST = (True, float("inf"))
_MOST_LOOKED_AT = 60
_MOST_MAINS_LOOKED_AT = 4


class Search:
    """All that the settings allow under given quotas."""

    def __init__(self, request: PlanRequest, quotas: Quotas, model: StepTimeModel) -> None:
        self._request = request
        self._model = model
        self._machines = machine_types(request)
        self._by_price = sorted(
            self._machines, key=lambda machine: (machine.dollars_per_hour(is_spot=False), machine.name)
        )
        self._make = Maker(request, quotas.without(demand.own_use(request, quotas)))

    def best(self) -> Candidate | None:
        """The fastest candidate that fits, of those that are as fast the one with the best rank.

        A stack that runs keeps its machines as long as a candidate with the same pools fits: to replace them
        stops what runs on them, and quotas or prices that have changed since are no reason for that.
        """
        kept = self._kept()
        if kept is not None:
            return kept
        best: Candidate | None = None
        slowest_tie = float("inf")
        for option in self._fastest_first():
            if self._seconds(option) > slowest_tie:
                break
            found = self._cheapest(option, best.rank if best else _WORST)
            if found is not None:
                slowest_tie = min(slowest_tie, self._seconds(option) / (1 - TIE))
                best = found
        return best

    def _fastest_first(self) -> list[Option]:
        return sorted(self._possible(), key=lambda option: (self._seconds(option), option.nodes))

    def _kept(self) -> Candidate | None:
        """The fastest candidate that fits and has the running pools, of other sizes at most."""
        running = {pool.name for pool in self._request.running}
        types = {pool.machine_type for pool in self._request.running}
        for option in self._fastest_first() if running else ():
            if option.shape.worker.name in types:
                mains = [main for main in self._mains(option) if main.name in types]
                for candidate in self._make.of_option(option, mains):
                    if candidate.fits and running == {pool.name for pool in candidate.layout.pools}:
                        return candidate
        return None

    def has_any(self) -> bool:
        """Whether any candidate fits."""
        return any(
            candidate.fits
            for option in sorted(self._possible(), key=_size)
            for main in self._mains(option)
            if self._make.may_fit(option, main)
            for candidate in self._make.of_option(option, (main,))
        )

    def nearest(self) -> tuple[Candidate, tuple[str, ...]]:
        """The candidate that breaks the quotas least; and why its pods don't fit, where none's do.

        Looks at the smallest options only, first at those whose workers' nodes alone keep the quotas, then
        at those whose quotas are known.
        """
        everything = list(options(self._request, self._machines))
        known = [option for option in everything if self._is_known(option.shape.worker)]
        for some in (self._possible(), known, everything):
            found: list[Candidate] = []
            for option in sorted(some, key=_size):
                known_mains = [main for main in self._mains(option) if self._is_known(main)]
                mains = known_mains or self._mains(option)
                cheap = list(self._make.of_option(option, mains[:_MOST_MAINS_LOOKED_AT]))
                found += cheap or self._make.of_option(option, mains[_MOST_MAINS_LOOKED_AT:])
                if len(found) >= _MOST_LOOKED_AT:
                    break
            if found:
                return min(found, key=lambda candidate: (candidate.excess, candidate.dollars_per_hour)), ()
        return self._with_pods_that_do_not_fit()

    def _with_pods_that_do_not_fit(self) -> tuple[Candidate, tuple[str, ...]]:
        lacking = min(
            shortfalls(self._request, self._machines), key=lambda shortfall: shortfall.missing_millicores
        )
        return min(
            self._make.of_pools(lacking.pools), key=lambda candidate: candidate.excess
        ), lacking.sentences

    def _is_known(self, machine: MachineType) -> bool:
        """Whether all quotas of a machine's CPU are known."""
        return all(
            self._make.left.get(metric) is not None or not self._make.left.limits(metric)
            for metric in machine.family.cpu_metrics
        )

    def _possible(self) -> Iterator[Option]:
        """The options whose workers' nodes alone keep the quotas; none where the network alone does not."""
        network = demand.network_use(self._request, nodes=1)
        if not all(self._make.has(metric, amount) for metric, amount in network.items()):
            return
        for option in options(self._request, self._machines):
            if self._make.may_fit(option, None):
                yield option

    def _seconds(self, option: Option) -> float:
        request, machine = self._request, option.shape.worker
        place = WorkerPlace(
            cpus=option.size.cpu_millicores / 1000,
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

    def _cheapest(self, option: Option, below: tuple[bool, float]) -> Candidate | None:
        """The candidate of an option that fits and has the best rank, if that is better than `below`."""
        best: Candidate | None = None
        workers = 0 if option.shape.arrangement is Arrangement.TOGETHER else option.nodes
        workers_price = workers * option.shape.worker.dollars_per_hour(is_spot=self._request.spot)
        for main in self._mains(option):
            if (False, workers_price + main.dollars_per_hour(is_spot=False)) >= below:
                break
            if not self._make.may_fit(option, main):
                continue
            fitting = next((found for found in self._make.of_option(option, (main,)) if found.fits), None)
            if fitting is not None and fitting.rank < below:
                best, below = fitting, fitting.rank
        return best


def _size(option: Option) -> tuple[int, str]:
    return option.nodes * option.shape.worker.vcpus, option.shape.worker.name
