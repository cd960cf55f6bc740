"""The plan verb as a process of its own, without an account, an engine or a network."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stacks.capacity.from_settings import plan_request
from stacks.capacity.planner import decide
from stacks.capacity.quotas import TRIAL
from stacks.capacity.report import text
from stacks.settings import parse
from stacks.stack_file import stack_values

PROJECT = Path(__file__).resolve().parents[2]
LAYOUT_OF_2016 = [
    argument
    for setting in (
        "machineType=n1-standard-1",
        "nodeSharing=none",
        "cloudLogging=false",
        "workerCpuMillicores=0",
    )
    for argument in ("--set", setting)
]


def plan(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli", "plan", *arguments],
        cwd=PROJECT,
        env={"PATH": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_plan_that_fits_is_printed_as_preview_prints_it_and_ends_with_0():
    done = plan("gke-free")
    assert (done.returncode, done.stderr) == (0, "")
    settings = parse(stack_values(PROJECT, "gke-free"), "gke-free")
    assert done.stdout == text(decide(plan_request(settings, "gke-free"), TRIAL)) + "\n"


def test_the_layout_of_2016_is_a_few_settings():
    done = plan("gke-free", *LAYOUT_OF_2016)
    assert done.returncode == 0
    assert "CPUS_ALL_REGIONS       2       8        8        8      8       -             0" in done.stdout


def test_a_refused_plan_ends_with_1():
    done = plan("gke-free", "--set", "workers=9")
    assert done.returncode == 1
    assert "REFUSED: nothing is created." in done.stdout
    assert "Largest number of workers that fits: 6." in done.stdout


def test_quotas_given_by_hand_decide():
    refused = plan(
        "gke-free", *LAYOUT_OF_2016, "--quota", "SSD_TOTAL_GB=100", "--quota", "DISKS_TOTAL_GB=100"
    )
    assert refused.returncode == 1
    assert "DISKS_TOTAL_GB" in refused.stdout
    assert plan("gke-free", *LAYOUT_OF_2016, "--quota", "SSD_TOTAL_GB=100").returncode == 0


def test_a_thousand_workers_are_planned_or_refused():
    many = ("gke", "--set", "workers=1000", "--set", "batchSize=60000", "--set", "vcpuBudget=0")
    assert plan(*many).returncode == 1
    metrics = ("CPUS", "E2_CPUS", "CPUS_ALL_REGIONS", "INSTANCES", "DISKS_TOTAL_GB")
    roomy = [argument for metric in metrics for argument in ("--quota", f"{metric}=50000")]
    done = plan(*many, *roomy)
    assert done.returncode == 0
    assert "Plan of stack gke: 1000 workers in us-central1-a." in done.stdout


def test_a_reader_that_stops_early_is_no_error():
    command = [sys.executable, "-m", "cli", "plan", "gke-free"]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""


def test_json_is_for_programs():
    done = plan("gke", "--json", "--quota", "CPUS=4")
    assert done.returncode == 1
    assert json.loads(done.stdout)["fits"] is False


def test_settings_that_are_wrong_are_refused_all_at_once():
    done = plan("gke-free", "--set", "worker=2", "--set", "diskGb=small")
    assert done.returncode == 1
    assert "worker=2 is not a setting: did you mean `workers`?" in done.stderr
    assert "diskGb=small is not a whole number" in done.stderr


def test_a_command_line_that_cannot_be_used_ends_with_2():
    for arguments, message in {
        ("gke-free", "--set", "workers"): "--set workers is not of the form KEY=VALUE",
        ("gke-free", "--quota", "CPUS"): "CPUS is not of the form METRIC=LIMIT",
        ("nowhere",): "stack nowhere has no file",
        ("local",): "stack local has target=local; only gke stacks have a plan",
        (): "the following arguments are required: stack",
    }.items():
        done = plan(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert message in done.stderr


def commands_of_the_documentation():
    page = (PROJECT / "docs" / "gke.md").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.findall(r"^\$ tfcluster plan (.*?)(?: +# *(.*))?$", page, re.MULTILINE)
    assert len(found) > 3
    return [pytest.param(command.split(), remark, id=command) for command, remark in found]


@pytest.mark.parametrize(("command", "remark"), commands_of_the_documentation())
def test_a_command_of_the_documentation_ends_as_it_says(command, remark):
    done = plan(*command)
    is_refused = remark.startswith("refused")
    assert done.returncode == (1 if is_refused else 0), done.stdout + done.stderr
    assert not is_refused or all(number in done.stdout for number in re.findall(r"\d+", remark))


def test_the_figures_of_the_documentation_are_the_plans():
    page = (PROJECT / "docs" / "gke.md").read_text(encoding="utf-8")
    answer = json.loads(plan("gke-free", "--json").stdout)
    cost, (pool,) = answer["cost"], answer["layout"]["pools"]
    assert f"one {pool['machine_type']} (8 vCPU)" in page
    assert f"about ${sum(cost['lines'].values()):.2f} an hour" in page
    assert f"about {60 * cost['run_hours']:.0f} minutes and ${cost['run_dollars']:.2f}" in page
