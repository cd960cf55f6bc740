"""How long a step takes, from what was measured of computing and exchanging. Pure, free of TensorFlow.

The exchange (``training.exchange``) of ``S`` members in ``G`` groups costs a worker ``2 (S - 1) + G - 1``
receives and as many sends, and ``(2 (S - 1) + G - 1) / S`` models in each direction, three times as much
where Adam's two moments are exchanged too. All of it but the wire is CPU time, and so shrinks and grows with
the worker's core. Measured with TensorFlow 2.21 over gRPC; ``docs/performance.md`` says how, and how far the
predictions are off.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Costs:
    """CPU milliseconds on one core of the machine that they were measured on, and sizes.

    Attributes:
        example_ms: One example, forward and back.
        step_ms: What a step costs besides, whatever its share of the batch.
        update_ms: Adam on the whole model.
        receive_ms: One receive and one send, however small.
        megabyte_ms: One megabyte received and one sent, waiting for it included.
        model_mb: Size of the model.
    """

    example_ms: float = 0.081
    step_ms: float = 1.2
    update_ms: float = 1.3
    receive_ms: float = 0.22
    megabyte_ms: float = 0.9
    model_mb: float = 3.27


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What a worker has.

    Attributes:
        core: Speed of what it computes with, in cores of the machine of the ``Costs``.
        network_gbit_s: What its node may send.
        workers_per_node: Workers that share it.
    """

    core: float = 1.0
    network_gbit_s: float = 2.0
    workers_per_node: int = 1


MNIST = Costs()
"""The costs of ``mnist``, measured."""


def groups(workers: int, summed_mb: float, costs: Costs = MNIST) -> int:
    """Return the number of groups, a divisor of ``workers``, with which the exchange costs least."""
    return min(
        (count for count in range(1, workers + 1) if workers % count == 0),
        key=lambda count: _exchange_cpu_ms(workers, count, summed_mb, costs),
    )


def seconds_per_step(
    batch_size: int, workers: int, sync_period: int, machine: Machine, costs: Costs = MNIST
) -> float:
    """Return the time of one step of ``batch_size`` examples over ``workers`` equal workers.

    Args:
        batch_size: Examples a step, over all workers together.
        workers: How many there are.
        sync_period: Steps between two synchronisations; 1 is exact.
        machine: What each of them has.
        costs: What the model costs.
    """
    share = -(-batch_size // workers)
    compute_ms = costs.step_ms + costs.example_ms * share
    if workers == 1:
        return (compute_ms + costs.update_ms) / machine.core / 1000
    # gradients are added up, or where workers average, model and both of Adam's moments
    summed_mb = costs.model_mb if sync_period == 1 else 3 * costs.model_mb
    count = groups(workers, summed_mb, costs)
    members = workers // count
    # exact: an owner updates its parcel alone; else every worker updates a model of its own
    update_ms = costs.update_ms / members if sync_period == 1 else costs.update_ms
    exchange_ms = _exchange_cpu_ms(workers, count, summed_mb, costs)
    cpu_ms = compute_ms + update_ms + exchange_ms / sync_period
    wire_ms = _sent_mb(workers, count, summed_mb, machine) * 8 / machine.network_gbit_s
    return (cpu_ms / machine.core + wire_ms / sync_period) / 1000


def speedup(batch_size: int, workers: int, sync_period: int, machine: Machine, costs: Costs = MNIST) -> float:
    """Return how many times faster ``workers`` are than one such worker alone."""
    alone_s = seconds_per_step(batch_size, 1, 1, machine, costs)
    return alone_s / seconds_per_step(batch_size, workers, sync_period, machine, costs)


def most_useful_workers(
    batch_size: int,
    sync_period: int,
    machine: Machine,
    costs: Costs = MNIST,
    limit: int = 1000,
    gain: float = 0.01,
) -> int:
    """Return the number of workers above which, up to ``limit``, none makes a step shorter by ``gain``."""
    best, best_s = 1, seconds_per_step(batch_size, 1, sync_period, machine, costs)
    for workers in range(2, min(limit, batch_size) + 1):
        found_s = seconds_per_step(batch_size, workers, sync_period, machine, costs)
        if found_s < best_s * (1 - gain):
            best, best_s = workers, found_s
    return best


def _receives(workers: int, count: int) -> int:
    """Messages that a worker of ``count`` groups receives, and as many that it sends."""
    return 2 * (workers // count - 1) + count - 1


def _exchange_cpu_ms(workers: int, count: int, summed_mb: float, costs: Costs) -> float:
    message_mb = summed_mb / (workers // count)
    return _receives(workers, count) * (costs.receive_ms + costs.megabyte_ms * message_mb)


def _sent_mb(workers: int, count: int, summed_mb: float, machine: Machine) -> float:
    """Megabytes that a node sends: all of what its workers send, but for what stays on the node."""
    sent_mb = _receives(workers, count) * summed_mb / (workers // count)
    on_node = min(machine.workers_per_node, workers)
    leaving = (workers - on_node) / (workers - 1) if workers > 1 else 0.0
    return on_node * sent_mb * leaving
