"""What a GKE Standard node leaves to pods, Kubernetes' own among them, of its machine's CPU, memory and disk.

GKE holds back CPU and memory for the kubelet and the operating system. The formulas are Google's
(https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes); what the operating system hides
before them is the cluster autoscaler's (gce_reserved.go there). Measured nodes agree within 2 %. Kubernetes'
own pods stand in `system_pods`.
"""

import functools
import math

from stacks.capacity.machines import MachineType

_SHARED_CORE_RESERVED_MILLICORES = 1060
_EVICTION_MIB = 100
_MIB_PER_GIB = 1024


@functools.cache
def cpu_millicores(machine: MachineType) -> int:
    """CPU that pods may ask for, in thousandths of a vCPU: 940 of one, 1930 of two, 3920 of four."""
    if machine.is_shared_core:
        return machine.vcpus * 1000 - _SHARED_CORE_RESERVED_MILLICORES
    # Of the first vCPU 6 % are reserved, 1 % of the second, 0.5 % of two more, 0.25 % of the rest.
    reserved = _tiered(machine.vcpus, ((1, 600), (1, 100), (2, 50), (math.inf, 25)))
    return machine.vcpus * 1000 - math.ceil(reserved / 10)


@functools.cache
def memory_mib(machine: MachineType) -> int:
    """Memory that pods may ask for, in MiB."""
    physical = machine.memory_gib * _MIB_PER_GIB
    if machine.memory_gib < 1:
        reserved = 255.0
    else:
        tiers = ((4, 0.25), (4, 0.20), (8, 0.10), (112, 0.06), (math.inf, 0.02))
        reserved = _tiered(machine.memory_gib, tiers) * _MIB_PER_GIB
    return math.floor(physical - _hidden_mib(machine.memory_gib) - reserved - _EVICTION_MIB)


def disk_gb(boot_disk_gb: int) -> int:
    """Space of the boot disk that images, logs and pods' files may fill, in GiB."""
    reserved = min(0.50 * boot_disk_gb, 0.35 * boot_disk_gb + 6, 100)
    return math.floor(boot_disk_gb - reserved - 0.10 * boot_disk_gb)


def _hidden_mib(memory_gib: float) -> float:
    """Memory that Linux and Container-Optimized OS keep before Kubernetes sees any, in MiB."""
    physical = memory_gib * _MIB_PER_GIB
    hidden = physical / 64 + 16 + min(0.00175 * physical, 248)
    hidden += 64 if memory_gib > 3 else 0
    hidden += 8 if memory_gib <= 8 else 0
    return hidden


def _tiered(amount: float, tiers: tuple[tuple[float, float], ...]) -> float:
    """Sum of each tier's rate times the part of `amount` that falls into it."""
    total, left = 0.0, amount
    for width, rate in tiers:
        part = min(left, width)
        total += part * rate
        left -= part
    return total
