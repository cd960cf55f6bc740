"""Holding processes to a fraction of a core with the kernel's control groups, version 1 or 2.

Owns the groups' files and nothing else. The period is short: with the kernel's usual 100 ms a task that has
used up its quarter stands still for 75 ms, and waiting for such tasks is then all that one measures.
See https://docs.kernel.org/scheduler/sched-bwc.html.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PERIOD_US = 5000
MOUNT = Path("/sys/fs/cgroup")


class NotPermittedError(RuntimeError):
    """Control groups can't be used here; the message says why and what helps."""


class CpuGroup(Protocol):
    """A control group for the CPU time of a few processes."""

    def add(self, pid: int) -> None:
        """Move a process, with its threads, into the group."""
        ...

    def limit(self, cores: float | None) -> None:
        """Hold the group to ``cores`` of CPU, or let it go with None."""
        ...

    def usage_s(self) -> float:
        """Return the CPU seconds used in the group so far."""
        ...

    def remove(self) -> None:
        """Remove the group; its processes must have ended."""
        ...


@dataclass(frozen=True)
class GroupV1:
    """A group of version 1: one folder below the ``cpu`` controller, one below ``cpuacct``."""

    cpu: Path
    accounting: Path

    def add(self, pid: int) -> None:  # noqa: D102  # as in CpuGroup, here and below
        for folder in {self.cpu, self.accounting}:
            _write(folder / "cgroup.procs", pid)

    def limit(self, cores: float | None) -> None:  # noqa: D102
        _write(self.cpu / "cpu.cfs_quota_us", -1)
        _write(self.cpu / "cpu.cfs_period_us", PERIOD_US)
        if cores is not None:
            _write(self.cpu / "cpu.cfs_quota_us", round(PERIOD_US * cores))

    def usage_s(self) -> float:  # noqa: D102
        return int((self.accounting / "cpuacct.usage").read_text()) / 1e9

    def remove(self) -> None:  # noqa: D102
        for folder in {self.cpu, self.accounting}:
            _remove(folder)


@dataclass(frozen=True)
class GroupV2:
    """A group of version 2: one folder."""

    folder: Path

    def add(self, pid: int) -> None:  # noqa: D102
        _write(self.folder / "cgroup.procs", pid)

    def limit(self, cores: float | None) -> None:  # noqa: D102
        quota = "max" if cores is None else round(PERIOD_US * cores)
        _write(self.folder / "cpu.max", f"{quota} {PERIOD_US}")

    def usage_s(self) -> float:  # noqa: D102
        pairs = (line.split() for line in (self.folder / "cpu.stat").read_text().splitlines())
        return int(dict(pairs)["usage_usec"]) / 1e6

    def remove(self) -> None:  # noqa: D102
        _remove(self.folder)


def new_group(name: str, mount: Path = MOUNT) -> CpuGroup:
    """Make a group.

    Raises:
        NotPermittedError: This machine has no control groups for CPU time, or they can't be written.
    """
    try:
        if (mount / "cgroup.controllers").exists():
            return _new_v2(name, mount)
        return _new_v1(name, mount)
    except OSError as error:
        raise NotPermittedError(
            f"control groups can't be written in {mount} ({error.strerror}: {error.filename}): the scale "
            "model holds every task to a fraction of a core with them. Run it as root, on Linux, outside a "
            "container or in a privileged one"
        ) from error


def _new_v1(name: str, mount: Path) -> GroupV1:
    together = mount / "cpu,cpuacct"
    cpu, accounting = (together if together.exists() else mount / kind for kind in ("cpu", "cpuacct"))
    for folder in {cpu / name, accounting / name}:
        folder.mkdir()
    group = GroupV1(cpu / name, accounting / name)
    group.limit(None)
    return group


def _new_v2(name: str, mount: Path) -> GroupV2:
    if "cpu" not in (mount / "cgroup.controllers").read_text().split():
        raise NotPermittedError(
            f"{mount}/cgroup.controllers doesn't list cpu: its time can't be limited here. Run the bench "
            "where the cpu controller is enabled"
        )
    _write(mount / "cgroup.subtree_control", "+cpu")
    (mount / name).mkdir()
    return GroupV2(mount / name)


def _write(path: Path, value: object) -> None:
    path.write_text(f"{value}\n")


def _remove(folder: Path) -> None:
    for _ in range(100):  # the kernel takes a moment to let ended processes go
        try:
            folder.rmdir()
        except OSError:
            time.sleep(0.02)
        else:
            return
