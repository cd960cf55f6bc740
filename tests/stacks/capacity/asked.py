"""Requests and quotas for the tests of the plan, from the shipped stack files."""

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stacks.capacity.from_settings import plan_request
from stacks.capacity.plan import Plan, PodKind, Refusal
from stacks.capacity.planner import decide
from stacks.capacity.quotas import TRIAL, Quota, Quotas
from stacks.capacity.request import NodeSharing, PlanRequest, PodSize
from stacks.settings import parse
from stacks.stack_file import stack_values

PROJECT = Path(__file__).resolve().parents[3]

LAYOUT_OF_2016 = {
    "machine_type": "n1-standard-1",
    "node_sharing": NodeSharing.NONE,
    "cloud_logging": False,
    "worker_cpu": 0,
}
"""One role a node on one-vCPU machines; without Cloud Logging's agent they hold Kubernetes' own pods."""


def ask(
    stack: str = "gke-free",
    worker_cpu: int | None = None,
    sizes: Mapping[PodKind, PodSize] | None = None,
    **changes: Any,
) -> PlanRequest:
    """The shipped stack's request with some fields, a worker's CPU or pods' sizes changed."""
    shipped = _shipped(stack)
    wanted = {**shipped.sizes, **(sizes or {})}
    if worker_cpu is not None:
        wanted["worker"] = PodSize(worker_cpu, wanted["worker"].memory_mib)
    return dataclasses.replace(shipped, sizes=wanted, **changes)


@functools.cache
def _shipped(stack: str) -> PlanRequest:
    return plan_request(parse(stack_values(PROJECT, stack), stack), stack)


def quotas(**limits: int | tuple[int, int]) -> Quotas:
    """The trial's quotas, read live, with some limits, or limits and uses, changed."""
    pairs = {metric: limit if isinstance(limit, tuple) else (limit, 0) for metric, limit in limits.items()}
    changed = {metric: Quota(limit, in_use) for metric, (limit, in_use) in pairs.items()}
    return Quotas({**TRIAL.by_metric, **changed}, source="test", is_live=True)


ROOMY = quotas(
    CPUS=100_000,
    E2_CPUS=100_000,
    CPUS_ALL_REGIONS=100_000,
    N2_CPUS=100_000,
    INSTANCES=10_000,
    SSD_TOTAL_GB=1_000_000,
    DISKS_TOTAL_GB=1_000_000,
    IN_USE_ADDRESSES=10_000,
    STATIC_ADDRESSES=1_000,
)
"""Quotas that E2, N1 and N2 machines never reach."""


def planned(request: PlanRequest, known: Quotas = TRIAL) -> Plan:
    """The plan, which must be one."""
    answer = decide(request, known)
    assert isinstance(answer, Plan), answer
    return answer


def refused(request: PlanRequest, known: Quotas = TRIAL) -> Refusal:
    """The refusal, which must be one."""
    answer = decide(request, known)
    assert isinstance(answer, Refusal), answer
    return answer


def metrics_named(answer: Refusal) -> list[str]:
    """What each problem begins with: the metric's name where a quota isn't kept."""
    return [problem.split(":")[0] for problem in answer.problems]
