"""Zones and the machine types that they offer, read live from Compute Engine."""

from dataclasses import dataclass

from provider.gcp.rest import Google


@dataclass(frozen=True, kw_only=True)
class MachineType:
    """A machine type as a zone offers it.

    Attributes:
        name: E.g. ``e2-standard-4``.
        vcpus: What it counts against CPU quotas.
        memory_mib: Memory before the system's share.
        architecture: ``X86_64`` or ``ARM64``.
    """

    name: str
    vcpus: int
    memory_mib: int
    architecture: str


def region_of(zone: str) -> str:
    """The zone's region: ``us-central1`` for ``us-central1-a``."""
    return zone.rpartition("-")[0]


def all_zones(google: Google) -> list[str]:
    """Names of all zones that are up, sorted.

    Raises:
        GoogleError: They cannot be read.
    """
    found = google.pages("compute", "/compute/v1/projects/{project}/zones")
    zones = [zone for page in found for zone in page.get("items", ())]
    return sorted(zone["name"] for zone in zones if zone.get("status", "UP") == "UP")


def zones_of(google: Google, region: str) -> list[str]:
    """Names of a region's zones that are up, sorted; empty where there is no such region.

    Raises:
        GoogleError: They cannot be read.
    """
    return [zone for zone in all_zones(google) if region_of(zone) == region]


def machine_types_of(google: Google, zone: str) -> dict[str, MachineType]:
    """The machine types that a zone offers, by name.

    Raises:
        NotFoundError: There is no such zone.
        GoogleError: They cannot be read.
    """
    pages = google.pages(
        "compute", f"/compute/v1/projects/{{project}}/zones/{zone}/machineTypes", maxResults="500"
    )
    return {
        entry["name"]: MachineType(
            name=entry["name"],
            vcpus=int(entry["guestCpus"]),
            memory_mib=int(entry["memoryMb"]),
            architecture=str(entry.get("architecture", "X86_64")),
        )
        for page in pages
        for entry in page.get("items", ())
    }


def zones_offering(google: Google, region: str, machine_type: str) -> list[str]:
    """Zones of a region that offer a machine type, sorted.

    Raises:
        GoogleError: They cannot be read.
    """
    return [zone for zone in zones_of(google, region) if machine_type in machine_types_of(google, zone)]
