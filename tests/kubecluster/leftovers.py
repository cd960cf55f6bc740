"""Looks for what a cluster would leave on the machine, by other ways than those on which it was made."""

from pathlib import Path

import psutil

from tests.kubecluster.machine import hierarchies
from tests.kubecluster.places import CGROUP, LIVE, PROGRAMS


def leftovers() -> list[str]:
    """Processes, network devices, mounts, cgroups and files that belong to a cluster, each in a few words."""
    return [*_processes(), *_devices(), *_mounts(), *_cgroups(), *_files()]


def _processes() -> list[str]:
    own = {psutil.Process().pid, *(parent.pid for parent in psutil.Process().parents())}
    found: list[str] = []
    for process in psutil.process_iter(["pid", "cmdline", "exe"]):
        command = " ".join([process.info["exe"] or "", *(process.info["cmdline"] or [])])
        if process.pid not in own and any(str(place) in command for place in (PROGRAMS, LIVE)):
            found.append(f"process {process.pid}: {command[:100]}")
    return found


def _devices() -> list[str]:
    return [f"network device {device.name}" for device in Path("/sys/class/net").glob("kubecluster*")]


def _mounts() -> list[str]:
    rows = Path("/proc/mounts").read_text().splitlines()
    return [f"mount {row.split()[1]}" for row in rows if str(LIVE) in row]


def _cgroups() -> list[str]:
    groups = [mount / CGROUP for mount in hierarchies("cgroup", "cgroup2")]
    return [f"cgroup {group}" for group in groups if group.exists()]


def _files() -> list[str]:
    return [f"folder {LIVE}"] if LIVE.exists() else []
