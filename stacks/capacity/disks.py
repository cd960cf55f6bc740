"""Which type of disk a layout's nodes and its runs' volume have.

A named type is taken as it is; `checks` has refused it where the machines don't take it. Otherwise the faster
type that the family prefers comes first, and standard disks, which draw on a roomier quota, are the way out.
"""

import dataclasses
from collections.abc import Callable, Iterator

from stacks.capacity.layouts import runs_disk
from stacks.capacity.machines import MACHINE_TYPES, Family
from stacks.capacity.plan import Disk, Layout, Pool, TemporaryPool
from stacks.capacity.request import PlanRequest
from stacks.topology import Role

_STANDARD = "pd-standard"
_TEMPORARY_GB = 20


def with_types(request: PlanRequest, layout: Layout) -> Iterator[Layout]:
    """The layout with each choice of disk types that its machines allow, the preferred one first."""
    if request.disk_type != "auto":
        yield _retyped(request, layout, lambda _: request.disk_type)
        return
    yield layout
    standard = _retyped(request, layout, _standard_if_possible)
    if standard != layout:
        yield standard


def _standard_if_possible(family: Family) -> str:
    return _STANDARD if _STANDARD in family.disk_types else family.disk_types[0]


def temporary_pools(layout: Layout) -> tuple[TemporaryPool, ...]:
    """Shapes of the pool that GKE insists on while a cluster is created, the preferred one first."""
    main = layout.pool(Role.INTERFACE)
    return (
        TemporaryPool(machine_type="e2-medium", disk=Disk(type=_STANDARD, size_gb=_TEMPORARY_GB)),
        TemporaryPool(
            machine_type=main.machine_type, disk=dataclasses.replace(main.disk, size_gb=_TEMPORARY_GB)
        ),
    )


def _retyped(request: PlanRequest, layout: Layout, type_for: Callable[[Family], str]) -> Layout:
    def retyped(pool: Pool) -> Pool:
        disk_type = type_for(MACHINE_TYPES[pool.machine_type].family)
        return dataclasses.replace(pool, disk=dataclasses.replace(pool.disk, type=disk_type))

    pools = tuple(retyped(pool) for pool in layout.pools)
    return dataclasses.replace(layout, pools=pools, runs_disk=runs_disk(request, pools))
