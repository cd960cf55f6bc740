"""The nodes that a cluster should have: sizes, labels and taints, and the addresses that follow from them."""

import dataclasses
import ipaddress
import os
from collections.abc import Mapping, Sequence

import psutil

from tests.kubecluster.places import NODE_NET, POD_NET, ClusterError

FIRST_ADDRESS = 11


@dataclasses.dataclass(frozen=True, kw_only=True)
class Node:
    """One node.

    Attributes:
        name: Its name in the cluster.
        index: Position in the cluster, from 0; its addresses follow from it.
        cpu_millicores: CPU that it offers to pods, or None for all of the machine's.
        memory_mib: Memory that it offers, or None for all of the machine's.
        labels: Labels to register with; the prefix kubernetes.io/ is not allowed.
        taints: Taints to register with, each with `key`, `value` and `effect`.
        pods_max: How many pods it takes.
    """

    name: str
    index: int
    cpu_millicores: int | None = None
    memory_mib: int | None = None
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    pods_max: int = 50

    @property
    def ip(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """The node's own address."""
        return NODE_NET[FIRST_ADDRESS + self.index]

    @property
    def pods(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The range its pods get their addresses from."""
        return list(POD_NET.subnets(new_prefix=24))[self.index + 1]

    @property
    def cable(self) -> str:
        """Network device on the machine's side."""
        return f"kubecluster{self.index + 1}"

    @property
    def withheld(self) -> dict[str, str]:
        """What the kubelet must reserve so that pods are offered just the wanted size.

        Raises:
            ClusterError: The machine is smaller than the node should be.
        """
        amounts: dict[str, tuple[int, str]] = {}
        if self.cpu_millicores is not None:
            amounts["cpu"] = (1000 * (os.cpu_count() or 1) - self.cpu_millicores, "m")
        if self.memory_mib is not None:
            # 100 MiB is the kubelet's own eviction threshold, which it takes off as well.
            amounts["memory"] = ((psutil.virtual_memory().total >> 20) - self.memory_mib - 100, "Mi")
        for resource, (amount, _) in amounts.items():
            if amount < 0:
                raise ClusterError(
                    f"{self.name}: the machine has less {resource} than this node should offer"
                )
        return {resource: f"{amount}{unit}" for resource, (amount, unit) in amounts.items()}


def three_alike() -> list[Node]:
    """Three nodes without labels that each offer the whole machine."""
    return [Node(name=f"node-{number}", index=number - 1) for number in (1, 2, 3)]
