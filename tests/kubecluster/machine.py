"""What the cluster adds to the machine itself: a bridge, routes and cgroups. All of it is removed again."""

import contextlib
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.kubecluster.nodes import Node
from tests.kubecluster.places import BRIDGE, CGROUP, HOST_IP, NODE_NET, SERVICE_NET, STATE, ClusterError
from tests.kubecluster.processes import run


def make_bridge(nodes: Sequence[Node]) -> None:
    """Make the network that joins machine and nodes, with routes to pods and Services."""
    owner = bridge_owner()
    if owner not in (None, str(STATE)):
        raise ClusterError(f"a cluster in {owner} is up, and a machine can hold only one")
    if owner is None:
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "link", "set", BRIDGE, "alias", STATE)
        run("ip", "address", "add", f"{HOST_IP}/{NODE_NET.prefixlen}", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
    for node in nodes:
        run("ip", "route", "replace", node.pods, "via", node.ip, "dev", BRIDGE)
    run("ip", "route", "replace", SERVICE_NET, "via", nodes[0].ip, "dev", BRIDGE)


def bridge_owner() -> str | None:
    """State directory of the cluster that the bridge belongs to, if there is a bridge."""
    alias = Path(f"/sys/class/net/{BRIDGE}/ifalias")
    return alias.read_text().strip() if alias.exists() else None


def remove_network() -> None:
    """Remove the bridge and the nodes' cables."""
    for device in Path("/sys/class/net").glob("kubecluster*"):
        # A cable may vanish by itself meanwhile, with the other end's namespace.
        subprocess.run(["ip", "link", "delete", device.name], check=False, capture_output=True)


def hierarchies(*kinds: str) -> dict[Path, list[str]]:
    """Mount points and options of the cgroup hierarchies of some kinds."""
    rows = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    return {Path(row[1]): row[3].split(",") for row in rows if row[2] in kinds}


def make_cgroups(node: Node) -> None:
    """Make the groups that the kubelet expects above those of its pods."""
    found = hierarchies("cgroup")
    if not found:
        raise ClusterError("no cgroup v1 hierarchy is mounted; containerd and runc are set up for those only")
    for mount, options in found.items():
        for path in (mount / CGROUP, mount / CGROUP / node.name):
            path.mkdir(exist_ok=True)
            if "cpuset" in options:  # a new one is empty and takes no process
                for key in ("cpuset.cpus", "cpuset.mems"):
                    (path / key).write_text((path.parent / key).read_text())


def remove_cgroups(timeout_s: float = 10) -> None:
    """Remove the cluster's groups, also those that runc leaves in a hybrid machine's cgroup2 tree."""
    for mount in hierarchies("cgroup", "cgroup2"):
        top = mount / CGROUP
        deadline = time.monotonic() + timeout_s
        while top.exists():
            for folder, _, _ in os.walk(top, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
            if time.monotonic() > deadline:
                raise ClusterError(f"cgroup {top} still holds processes")
            time.sleep(0.1)
