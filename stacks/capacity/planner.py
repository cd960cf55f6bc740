"""The decision: settings and quotas in, a plan that fits out, or every reason why there is none.

Pure and without clock or network: the same request and quotas give the same answer.
"""

import dataclasses
from collections.abc import Iterator

from stacks.capacity import checks, demand, explain, notes, prices, speed
from stacks.capacity.candidates import Candidate
from stacks.capacity.plan import Plan, Refusal
from stacks.capacity.quotas import Quotas
from stacks.capacity.request import PlanRequest
from stacks.capacity.search import Search
from stacks.capacity.speed import COST_MODEL, StepTimeModel


def decide(request: PlanRequest, quotas: Quotas, model: StepTimeModel = COST_MODEL) -> Plan | Refusal:
    """Plan the cluster that `request` asks for.

    Args:
        request: Settings, and what is known of zone and running stack.
        quotas: Limits and present use, the stack's own included.
        model: Predicts the time of a step.

    Returns:
        The best plan that keeps every quota in every phase; with `fit`, the one for the largest number of
        workers that does. Otherwise a refusal with all reasons.
    """
    refused = Refusal(
        stack=request.stack,
        zone=request.zone,
        workers=request.workers,
        problems=(*checks.zone_problems(request), *checks.disk_size_problems(request)),
        warnings=tuple(notes.about_quotas(quotas)),
    )
    unusable = tuple(checks.machine_problems(request))
    if unusable:
        return dataclasses.replace(refused, problems=refused.problems + unusable)
    best = Search(request, quotas, model).best()
    if best is not None:
        return refused if refused.problems else _plan(request, request.workers, best, quotas, model)
    largest = largest_fit(request, quotas, model)
    if request.fit and largest and not refused.problems:
        fitting = dataclasses.replace(request, workers=largest)
        best = Search(fitting, quotas, model).best()
        if best is not None:
            return _plan(fitting, request.workers, best, quotas, model)
    return _with_arithmetic(dataclasses.replace(refused, largest_fit=largest), request, quotas, model)


def largest_fit(request: PlanRequest, quotas: Quotas, model: StepTimeModel = COST_MODEL) -> int:
    """The largest number of workers, below the one asked for, that fits; 0 where none does.

    Where a number fits, every smaller one does: it needs no node and no pod more.
    """
    fits, too_many = 0, request.workers
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if Search(dataclasses.replace(request, workers=middle), quotas, model).has_any():
            fits = middle
        else:
            too_many = middle
    return fits


def _plan(
    request: PlanRequest, workers_asked: int, best: Candidate, quotas: Quotas, model: StepTimeModel
) -> Plan:
    prediction = speed.predict(request, best.layout, model)
    plan = Plan(
        stack=request.stack,
        zone=request.zone,
        workers=request.workers,
        workers_asked=workers_asked,
        layout=best.layout,
        temporary_pool=best.temporary_pool,
        peaks=best.peaks,
        cost=prices.cost(request, best.layout, prediction.training_seconds),
        prediction=prediction,
        warnings=(),
    )
    warnings = (*notes.warnings(request, plan, quotas), *_better_afresh(request, plan, quotas, model))
    return dataclasses.replace(plan, warnings=warnings)


def _better_afresh(request: PlanRequest, kept: Plan, quotas: Quotas, model: StepTimeModel) -> Iterator[str]:
    """What a running stack would have, were it planned without its machines, if that is another layout."""
    if not request.running:
        return
    others = quotas.without(demand.own_use(request, quotas))
    fresh = dataclasses.replace(request, running=())
    afresh = Search(fresh, others, model).best()
    if afresh is None or {pool.name for pool in afresh.layout.pools} == {
        pool.name for pool in kept.layout.pools
    }:
        return
    yield notes.about_other_machines(
        afresh.layout,
        speed.predict(fresh, afresh.layout, model).seconds_per_step / kept.prediction.seconds_per_step,
        afresh.dollars_per_hour - kept.cost.dollars_per_hour,
    )


def _with_arithmetic(refused: Refusal, request: PlanRequest, quotas: Quotas, model: StepTimeModel) -> Refusal:
    """The refusal with the sum of every quota that the nearest layout breaks, or of the node too small."""
    nearest, pods_that_do_not_fit = Search(request, quotas, model).nearest()
    broken = tuple(
        explain.refusal(request, nearest.layout, nearest.temporary_pool, quotas, peak)
        for peak in nearest.peaks
        if not peak.fits
    )
    return dataclasses.replace(
        refused,
        problems=refused.problems + pods_that_do_not_fit + broken,
        nearest=nearest.layout,
        peaks=nearest.peaks,
    )
