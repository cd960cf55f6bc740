"""What a layout costs: the prices of everything but machines, and the sums.

Prices of us-central1 in US dollars, 3 August 2026, as the machines' (`machines.PRICES_AS_OF`); other regions
by their factor in `regions`. Sources: https://cloud.google.com/kubernetes-engine/pricing,
https://cloud.google.com/compute/disks-image-pricing, https://cloud.google.com/nat/pricing,
https://cloud.google.com/vpc/network-pricing. Not counted: traffic, images kept, builds beyond the free
minutes.
"""

import math
from collections.abc import Mapping

from stacks.capacity.figures import Cost
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import Layout, Pool
from stacks.capacity.regions import REGIONS
from stacks.capacity.request import PlanRequest

CONTROL_PLANE_PER_HOUR = 0.10
"""Fee for a cluster; zonal and regional ones alike."""

CONTROL_PLANE_CREDIT_PER_MONTH = 74.40
"""Google's monthly credit for the fee of zonal clusters, once for each billing account."""

HOURS_PER_MONTH = 730

DISK_PER_GIB_MONTH: Mapping[str, float] = {
    "pd-standard": 0.04,
    "pd-balanced": 0.10,
    "pd-ssd": 0.17,
    "hyperdisk-balanced": 0.08,
}

NAT_PER_NODE_HOUR = 0.0014
NAT_MOST_PER_HOUR = 0.044
"""Cloud NAT's fee for each node, and the flat fee from 32 nodes on."""

ADDRESS_PER_HOUR = 0.005
SPOT_ADDRESS_PER_HOUR = 0.0025
"""External IPv4 address in use, on a Spot machine half of it."""

UP_AND_DOWN_MINUTES = 15
"""Time that everything exists before and after the run of a single `up` and `destroy`; assumed."""


def nodes_per_hour(region: str, pools: tuple[Pool, ...]) -> float:
    """Price of all machines."""
    return _factor(region) * sum(
        pool.node_count * MACHINE_TYPES[pool.machine_type].dollars_per_hour(is_spot=pool.is_spot)
        for pool in pools
    )


def cost(request: PlanRequest, layout: Layout, training_seconds: float) -> Cost:
    """What a layout costs an hour, and for one run from `up` to `destroy`."""
    lines = {
        "nodes": nodes_per_hour(request.region, layout.pools),
        "disks": _factor(request.region) * _disks_per_hour(layout),
        "control plane": CONTROL_PLANE_PER_HOUR,
        "NAT and addresses": _addresses_per_hour(request, layout),
    }
    hours = (UP_AND_DOWN_MINUTES * 60 + training_seconds) / 3600
    return Cost(
        lines=lines,
        credit_per_hour=min(CONTROL_PLANE_PER_HOUR, CONTROL_PLANE_CREDIT_PER_MONTH / HOURS_PER_MONTH),
        run_hours=hours,
        run_dollars=hours * sum(lines.values()),
    )


def is_known(region: str) -> bool:
    """Whether the region's prices are known; those of us-central1 stand in for others."""
    return region in REGIONS


def _factor(region: str) -> float:
    return REGIONS[region].price_factor if region in REGIONS else 1.0


def _disks_per_hour(layout: Layout) -> float:
    disks = [(pool.disk, pool.node_count) for pool in layout.pools] + [(layout.runs_disk, 1)]
    return (
        sum(DISK_PER_GIB_MONTH[disk.type] * disk.size_gb * count for disk, count in disks) / HOURS_PER_MONTH
    )


def _addresses_per_hour(request: PlanRequest, layout: Layout) -> float:
    if request.private_nodes:
        addresses = math.ceil(layout.node_count / 1008)
        return min(NAT_PER_NODE_HOUR * layout.node_count, NAT_MOST_PER_HOUR) + ADDRESS_PER_HOUR * addresses
    return sum(
        pool.node_count * (SPOT_ADDRESS_PER_HOUR if pool.is_spot else ADDRESS_PER_HOUR)
        for pool in layout.pools
    )
