"""Refusals that need no quota: names that don't exist, don't go together or aren't offered in the zone."""

import difflib
from collections.abc import Iterator

from stacks.capacity import allocatable
from stacks.capacity.machines import MACHINE_TYPES, MachineType, nearest
from stacks.capacity.options import machine_types
from stacks.capacity.regions import REGIONS, is_zone, zones_of
from stacks.capacity.request import PlanRequest

_IMAGES_GB = 6
"""Space that both images, unpacked, and the pods' files take on a node, in GiB."""


def zone_problems(request: PlanRequest) -> Iterator[str]:
    """What is wrong with the zone's name; a region is not a zone."""
    zone = request.zone
    if is_zone(zone):
        return
    if zone in REGIONS:
        zones = ", ".join(zones_of(zone))
        yield (
            f"zone={zone} is a region: a regional cluster has every pool once in each of three zones, three"
            f" times the nodes. Set zone to one of {zones}."
        )
        return
    like = difflib.get_close_matches(zone, [name for region in REGIONS for name in zones_of(region)], n=3)
    hint = f" Did you mean {' or '.join(like)}?" if like else ""
    yield f"zone={zone} is not the name of a zone, such as us-central1-a.{hint}"


def machine_problems(request: PlanRequest) -> Iterator[str]:
    """What keeps the named machine type, or every one that `auto` could choose, from being used."""
    name = request.machine_type
    if name == "auto":
        yield from _nothing_to_choose_from(request)
        return
    machine = MACHINE_TYPES.get(name)
    if machine is None:
        like = nearest(name)
        hint = f"did you mean {' or '.join(like)}?" if like else "e2-standard-4 is one."
        yield f"machineType={name} is no machine type that this program knows: {hint} `auto` chooses one."
        return
    yield from _arch_problems(request, machine)
    yield from _offer_problems(request, machine)
    yield from _disk_problems(request, machine)


def disk_size_problems(request: PlanRequest) -> Iterator[str]:
    """Whether the boot disk has room for the images."""
    room = allocatable.disk_gb(request.disk_gb)
    if room < _IMAGES_GB:
        yield (
            f"diskGb={request.disk_gb} leaves {room} GiB for images and pods' files, which need"
            f" {_IMAGES_GB} GiB: Kubernetes keeps half of a small disk for itself. Set diskGb to 20 or more."
        )


def _nothing_to_choose_from(request: PlanRequest) -> Iterator[str]:
    if not machine_types(request):
        yield (
            f"zone={request.zone} offers no machine type that this program knows, takes"
            f" diskType={request.disk_type} and runs {request.image_arch} images. Set another zone or set"
            " diskType to auto."
        )


def _arch_problems(request: PlanRequest, machine: MachineType) -> Iterator[str]:
    if machine.family.arch != request.image_arch:
        alternatives = ", ".join(_alternatives(request, machine))
        yield (
            f"machineType={machine.name} is an {machine.family.arch} machine, the images are built for"
            f" {request.image_arch}: its pods could not start. Choose one such as {alternatives}."
        )


def _offer_problems(request: PlanRequest, machine: MachineType) -> Iterator[str]:
    if request.offered is not None and machine.name not in request.offered:
        alternatives = ", ".join(_alternatives(request, machine)) or "none of the same size"
        yield (
            f"machineType={machine.name} is not offered in zone={request.zone}. There you can choose"
            f" {alternatives}; or set another zone of {request.region}."
        )


def _disk_problems(request: PlanRequest, machine: MachineType) -> Iterator[str]:
    types = machine.family.disk_types
    if request.disk_type not in ("auto", *types):
        yield (
            f"diskType={request.disk_type} is not supported by machineType={machine.name}, which takes"
            f" {', '.join(types)}. Set diskType to one of them or to auto."
        )


def _alternatives(request: PlanRequest, machine: MachineType) -> list[str]:
    """Up to four usable types with as many vCPU, those with the most similar memory first."""
    usable = (
        other
        for other in MACHINE_TYPES.values()
        if other.vcpus == machine.vcpus
        and not other.is_shared_core
        and other.family.arch == request.image_arch
        and (request.offered is None or other.name in request.offered)
    )
    ranked = sorted(usable, key=lambda other: abs(other.memory_gib - machine.memory_gib))
    return [other.name for other in ranked[:4]]
