"""What one node consumes, from the machine types that the double's cloud offers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_FAMILIES = {
    "e2": ("CPUS", "E2_CPUS"),
    "n1": ("CPUS",),
    "n2": ("N2_CPUS",),
    "n2d": ("N2D_CPUS",),
    "t2d": ("T2D_CPUS",),
    "t2a": ("T2A_CPUS",),
    "c2": ("C2_CPUS",),
    "c2d": ("C2D_CPUS",),
    "c3": ("C3_CPUS",),
    "c3d": ("CPUS_PER_VM_FAMILY",),
    "c4": ("CPUS_PER_VM_FAMILY",),
    "n4": ("CPUS_PER_VM_FAMILY",),
}
_CLASSES_GB_PER_VCPU = {"highcpu": 1, "standard": 4, "highmem": 8}
_VCPUS = (1, 2, 4, 8, 16, 32)
_SHARED_CORE_MB = {"e2-micro": 1024, "e2-small": 2048, "e2-medium": 4096}
_DISK_METRICS = {
    "pd-standard": "DISKS_TOTAL_GB",
    "pd-balanced": "SSD_TOTAL_GB",
    "pd-ssd": "SSD_TOTAL_GB",
    "hyperdisk-balanced": "HDB_TOTAL_GB",
}


@dataclass(frozen=True)
class MachineType:
    """A machine type as the compute API describes it."""

    name: str
    vcpus: int
    memory_mb: int
    cpu_metrics: tuple[str, ...]

    @property
    def architecture(self) -> str:
        """`X86_64` or `ARM64`."""
        return "ARM64" if self.name.startswith("t2a-") else "X86_64"


def machine_type(name: str) -> MachineType | None:
    """The machine type of a name, or None where there is none."""
    if name in _SHARED_CORE_MB:
        return MachineType(name, 2, _SHARED_CORE_MB[name], _FAMILIES["e2"])
    family, _, rest = name.partition("-")
    size, _, vcpus = rest.partition("-")
    if family not in _FAMILIES or size not in _CLASSES_GB_PER_VCPU or not vcpus.isdecimal():
        return None
    if int(vcpus) > 96:
        return None
    return MachineType(name, int(vcpus), int(vcpus) * _CLASSES_GB_PER_VCPU[size] * 1024, _FAMILIES[family])


def nodes_use(count: int, node_config: Mapping[str, Any] | None, public: bool) -> dict[str, float]:
    """Consumption by metric of nodes; a field that is left out has GKE's default.

    Raises:
        KeyError: The machine type does not exist.
    """
    config = node_config or {}
    machine = machine_type(config.get("machineType", "e2-medium"))
    if machine is None:
        raise KeyError(config["machineType"])
    boot_disk = config.get("bootDisk") or {}
    disk_type = boot_disk.get("diskType") or config.get("diskType") or "pd-balanced"
    disk_gb = boot_disk.get("sizeGb") or config.get("diskSizeGb") or 100
    amounts: dict[str, float] = dict.fromkeys(machine.cpu_metrics, count * machine.vcpus)
    amounts["CPUS_ALL_REGIONS"] = count * machine.vcpus
    amounts["INSTANCES"] = count
    amounts[_DISK_METRICS[disk_type]] = count * disk_gb
    if public:
        amounts["IN_USE_ADDRESSES"] = count
    return amounts


def offered_names() -> list[str]:
    """Names of all machine types that exist."""
    sizes = [f"{family}-{size}-{n}" for family in _FAMILIES for size in _CLASSES_GB_PER_VCPU for n in _VCPUS]
    return [*_SHARED_CORE_MB, *sizes]
