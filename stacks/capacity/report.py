"""A plan or a refusal as text for people, at most 100 columns wide, and as JSON for programs.

The same text is printed by `pulumi preview` and by `tfcluster plan`.
"""

import dataclasses
import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from stacks.capacity.figures import Cost, MetricPeak, Prediction
from stacks.capacity.machines import MACHINE_TYPES, PRICES_AS_OF
from stacks.capacity.plan import Layout, NodeLoad, Plan, Refusal

WIDTH = 100


def text(answer: Plan | Refusal) -> str:
    """The whole report, without a newline at its end."""
    lines = _plan(answer) if isinstance(answer, Plan) else _refusal(answer)
    return "\n".join(line.rstrip() for line in lines)


def as_json(answer: Plan | Refusal) -> str:
    """Every value of the report, and `fits`."""
    fields: dict[str, Any] = {"fits": isinstance(answer, Plan), **dataclasses.asdict(answer)}
    fields["peaks"] = [
        {**dataclasses.asdict(peak), "peak": peak.peak, "fits": peak.fits} for peak in answer.peaks
    ]
    layout, key = (answer.layout, "layout") if isinstance(answer, Plan) else (answer.nearest, "nearest")
    if layout is not None:
        fields[key]["pools"] = [
            {**dataclasses.asdict(pool), "name": pool.name, "labels": pool.labels} for pool in layout.pools
        ]
    return json.dumps(fields, indent=2)


def _plan(plan: Plan) -> Iterator[str]:
    yield f"Plan of stack {plan.stack}: {plan.workers} workers in {plan.zone}."
    yield "It fits."
    yield from _section(_pools(plan.layout))
    yield from _section(_pods(plan.layout))
    yield from _section(_loads(plan.layout.loads))
    yield from _section(_quotas(plan.peaks))
    temporary = plan.temporary_pool
    yield (
        f"Create: while the cluster is made, a pool of {temporary.node_count} x {temporary.machine_type} with"
        f" {temporary.disk.size_gb} GB {temporary.disk.type};"
    )
    yield "it is gone before the pools above are made. Replace: pools are deleted before they are made anew."
    yield from _section(_cost(plan.cost))
    yield from _section(_prediction(plan.prediction, plan.workers))
    yield from _listed("Mind:", plan.warnings)


def _refusal(refusal: Refusal) -> Iterator[str]:
    yield f"Plan of stack {refusal.stack}: {refusal.workers} workers in {refusal.zone}."
    yield "REFUSED: nothing is created."
    yield from _listed("Why:", refusal.problems)
    if refusal.largest_fit is not None:
        yield ""
        yield from _largest_fit(refusal.largest_fit)
    if refusal.nearest is not None:
        yield ""
        yield "The layout that comes nearest:"
        yield from _section(_pools(refusal.nearest))
        yield from _section(_quotas(refusal.peaks))
    yield from _listed("Mind:", refusal.warnings)


def _pools(layout: Layout) -> Iterator[str]:
    rows = [
        (
            pool.key,
            pool.machine_type,
            str(pool.node_count),
            str(pool.node_count * MACHINE_TYPES[pool.machine_type].vcpus),
            " ".join(pool.roles),
            f"{pool.disk.size_gb} GB {pool.disk.type}",
            "Spot" if pool.is_spot else "on demand",
            "tainted" if pool.is_tainted else "",
        )
        for pool in layout.pools
    ]
    yield from _table(
        ("Pool", "Machine type", "Nodes", "vCPU", "Roles", "Boot disk", "", ""), rows, numbers={2, 3}
    )


def _pods(layout: Layout) -> Iterator[str]:
    rows = [
        (
            pod.kind,
            str(pod.count),
            f"{pod.cpu_millicores}m",
            f"{pod.memory_mib} MiB",
            layout.pool(pod.role).key,
            f"{layout.runs_disk.size_gb} GB {layout.runs_disk.type} for runs"
            if pod.kind == "training"
            else "",
        )
        for pod in layout.pods
    ]
    yield from _table(
        ("Pod", "Count", "CPU each", "Memory each", "On pool", "Volume"), rows, numbers={1, 2, 3}
    )


def _loads(loads: Sequence[NodeLoad]) -> Iterator[str]:
    rows: list[tuple[str, ...]] = []
    for load in loads:
        cpu = (load.cpu_allocatable, load.cpu_system, load.cpu_asked, load.cpu_left)
        memory = (load.memory_allocatable, load.memory_system, load.memory_asked, load.memory_left)
        rows.append((load.pool, *(f"{amount}m" for amount in cpu), *(str(amount) for amount in memory)))
    head = ("A node of", "CPU", "Kubernetes", "asked", "left", "MiB", "Kubernetes", "asked", "left")
    yield from _table(head, rows, numbers=set(range(1, 9)))


def _quotas(peaks: Sequence[MetricPeak]) -> Iterator[str]:
    rows = [
        (
            peak.metric,
            *(str(phase) for phase in (peak.create, peak.steady, peak.upgrade, peak.replace)),
            "unknown" if peak.limit is None else str(peak.limit),
            str(peak.in_use) if peak.in_use else "-",
            str(peak.available - peak.peak) if peak.fits else f"{peak.peak - peak.available} OVER",
        )
        for peak in peaks
    ]
    head = ("Quota", "Create", "Steady", "Upgrade", "Replace", "Limit", "Others", "Left at peak")
    yield from _table(head, rows, numbers=set(range(1, 8)))


def _cost(cost: Cost) -> Iterator[str]:
    rows = [(item, f"{dollars:.4f}") for item, dollars in cost.lines.items()]
    yield from _table(("Cost", "$ an hour"), [*rows, ("total", f"{cost.dollars_per_hour:.4f}")], numbers={1})
    yield (
        f"Of this, Google's monthly credit (once for each billing account) pays ${cost.credit_per_hour:.2f}"
        " an hour."
    )
    yield (
        f"One run, from up to destroy: about {cost.run_hours * 60:.0f} min, ${cost.run_dollars:.2f}."
        f" Prices as of {PRICES_AS_OF}."
    )


def _prediction(prediction: Prediction, workers: int) -> Iterator[str]:
    several = f"{workers} workers" if workers > 1 else "1 worker"
    yield (
        f"Predicted, not measured: {prediction.seconds_per_step * 1000:.1f} ms a step,"
        f" {prediction.training_seconds:.0f} s of training, {prediction.speedup:.1f} times as fast"
    )
    yield f"with {several} as with one of them alone ({prediction.source})."
    yield f"Beyond {prediction.most_useful_workers} such workers, none makes a step 1 % shorter."


def _largest_fit(largest: int) -> Iterator[str]:
    if largest:
        yield f"Largest number of workers that fits: {largest}. Set workers to {largest}, or fit to true."
    else:
        yield "No number of workers fits."


def _listed(title: str, sentences: Sequence[str]) -> Iterator[str]:
    if sentences:
        yield ""
        yield title
    for sentence in sentences:
        yield from textwrap.wrap(
            sentence,
            WIDTH,
            initial_indent="  - ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _section(lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield from lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: set[int]) -> Iterator[str]:
    """Rows under a head in columns that are as wide as needed; those in `numbers` are set to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = (
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells)
