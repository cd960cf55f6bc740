"""The shapes that the settings allow, each with what its workers get; the search's raw material."""

import dataclasses
import math
from collections.abc import Iterator, Sequence

from stacks.capacity.layouts import lay_out
from stacks.capacity.machines import MACHINE_TYPES, MachineType
from stacks.capacity.plan import Layout, PodSize
from stacks.capacity.request import NodeSharing, PlanRequest
from stacks.capacity.shapes import (
    MOST_WORKERS_A_NODE,
    Arrangement,
    Shape,
    Shortfall,
    bare_node,
    worker_size,
)
from stacks.capacity.sharing import least


@dataclasses.dataclass(frozen=True)
class Option:
    """Where the workers go and what each gets; the machine type of other nodes is still open.

    Attributes:
        shape: The shape, with the workers' machine type standing in for the still open one.
        nodes: Nodes of the workers' machine type.
        size: What each worker gets.
    """

    shape: Shape
    nodes: int
    size: PodSize


def machine_types(request: PlanRequest) -> tuple[MachineType, ...]:
    """The machine types to choose from: the one that is named, or all that `auto` considers.

    `auto` leaves out shared-core types, whose CPU is throttled, those that the images aren't built for, and
    those that the zone doesn't offer or the named disk type doesn't go with.
    """
    if request.machine_type != "auto":
        return (MACHINE_TYPES[request.machine_type],)
    return tuple(
        machine
        for machine in MACHINE_TYPES.values()
        if not machine.is_shared_core
        and machine.family.arch == request.image_arch
        and (request.offered is None or machine.name in request.offered)
        and (request.disk_type == "auto" or request.disk_type in machine.family.disk_types)
    )


def options(request: PlanRequest, machines: Sequence[MachineType]) -> Iterator[Option]:
    """Every way to place the workers whose pods fit on the nodes."""
    match request.node_sharing:
        case NodeSharing.ANY:
            yield from _together(request, machines)
            yield from _on_own_nodes(request, machines, Arrangement.APART, MOST_WORKERS_A_NODE)
        case NodeSharing.SERVICES:
            yield from _on_own_nodes(request, machines, Arrangement.APART, most_a_node=1)
        case NodeSharing.NONE:
            yield from _on_own_nodes(request, machines, Arrangement.SINGLE, most_a_node=1)


def _together(request: PlanRequest, machines: Sequence[MachineType]) -> Iterator[Option]:
    """One node for everything; not with Spot machines, which are for workers alone."""
    is_possible = not request.spot and request.workers <= MOST_WORKERS_A_NODE
    for machine in machines if is_possible else ():
        shape = Shape(Arrangement.TOGETHER, machine, machine, request.workers)
        layout = lay_out(request, shape)
        if isinstance(layout, Layout):
            worker = layout.pod("worker")
            yield Option(shape, 1, PodSize(worker.cpu_millicores, worker.memory_mib))


def _on_own_nodes(
    request: PlanRequest, machines: Sequence[MachineType], arrangement: Arrangement, most_a_node: int
) -> Iterator[Option]:
    needed = least(request, "worker")
    taken: set[tuple[str, int]] = set()
    for machine in sorted(machines, key=lambda machine: machine.vcpus):
        node = bare_node(request, machine, "workers")
        most_by_room = min(node.cpu // needed.cpu_millicores, node.memory // needed.memory_mib)
        most = min(most_a_node, request.workers, most_by_room)
        # Of the numbers a node that need equally many nodes, the smallest leaves most to each worker.
        for nodes in sorted({math.ceil(request.workers / count) for count in range(1, most + 1)}):
            count = math.ceil(request.workers / nodes)
            size = worker_size(request, node.cpu, node.memory, count)
            # Workers of a set size gain nothing from a larger machine of the series but its faster network.
            is_larger_than_needed = request.worker_cpu_millicores > 0 and (machine.series, count) in taken
            if size is not None and not is_larger_than_needed:
                taken.add((machine.series, count))
                yield Option(Shape(arrangement, machine, machine, count), nodes, size)


def shortfalls(request: PlanRequest, machines: Sequence[MachineType]) -> Iterator[Shortfall]:
    """Why pods don't fit on nodes, for each machine type in the arrangement that asks for least."""
    arrangement = Arrangement.SINGLE if request.node_sharing is NodeSharing.NONE else Arrangement.APART
    for machine in machines:
        layout = lay_out(request, Shape(arrangement, machine, machine, 1))
        if isinstance(layout, Shortfall):
            yield layout
