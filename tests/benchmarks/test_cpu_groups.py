from pathlib import Path

import pytest

from benchmarks.cpu_groups import PERIOD_US, GroupV2, NotPermittedError, new_group


def version_1(mount: Path) -> Path:
    for controller in ("cpu", "cpuacct"):
        (mount / controller).mkdir(parents=True)
    return mount


def version_2(mount: Path, controllers: str = "cpuset cpu io memory") -> Path:
    mount.mkdir(parents=True, exist_ok=True)
    (mount / "cgroup.controllers").write_text(controllers + "\n")
    return mount


def test_version_1_writes_period_and_quota(tmp_path: Path) -> None:
    group = new_group("task", version_1(tmp_path))
    group.limit(0.25)
    assert (tmp_path / "cpu/task/cpu.cfs_period_us").read_text() == f"{PERIOD_US}\n"
    assert (tmp_path / "cpu/task/cpu.cfs_quota_us").read_text() == f"{PERIOD_US // 4}\n"
    group.limit(None)
    assert (tmp_path / "cpu/task/cpu.cfs_quota_us").read_text() == "-1\n"


def test_version_1_moves_processes_and_reads_their_time(tmp_path: Path) -> None:
    group = new_group("task", version_1(tmp_path))
    group.add(123)
    assert (tmp_path / "cpu/task/cgroup.procs").read_text() == "123\n"
    assert (tmp_path / "cpuacct/task/cgroup.procs").read_text() == "123\n"
    (tmp_path / "cpuacct/task/cpuacct.usage").write_text("1500000000\n")
    assert group.usage_s() == 1.5


def test_version_2_writes_quota_and_period_in_one_file(tmp_path: Path) -> None:
    group = new_group("task", version_2(tmp_path))
    assert isinstance(group, GroupV2)
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+cpu\n"
    group.limit(0.5)
    assert (tmp_path / "task/cpu.max").read_text() == f"{PERIOD_US // 2} {PERIOD_US}\n"
    group.limit(None)
    assert (tmp_path / "task/cpu.max").read_text() == f"max {PERIOD_US}\n"
    (tmp_path / "task/cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    assert group.usage_s() == 2.5


def test_version_2_without_the_cpu_controller_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotPermittedError, match="doesn't list cpu"):
        new_group("task", version_2(tmp_path, "memory pids"))


def test_a_machine_without_control_groups_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotPermittedError, match="Run it as root, on Linux"):
        new_group("task", tmp_path / "nothing")


def test_the_period_is_short_enough_for_waiting_not_to_be_what_is_measured() -> None:
    assert 5000 <= PERIOD_US <= 10000
