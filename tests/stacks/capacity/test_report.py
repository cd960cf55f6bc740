import json
import re

import pytest

from stacks.capacity.planner import decide
from stacks.capacity.report import WIDTH, as_json, text
from stacks.capacity.request import NodeSharing
from tests.stacks.capacity.asked import LAYOUT_OF_2016, ROOMY, TRIAL, ask, quotas


def lines(known=TRIAL, **changes: object) -> list[str]:
    return text(decide(ask(**changes), known)).splitlines()


def cells(line: str) -> list[str]:
    return line.split()


def row(report: list[str], start: str, nth: int = 0) -> list[str]:
    return [cells(line) for line in report if line.startswith(start)][nth]


def test_the_shipped_free_stack_reads_as_a_person_would_want_it():
    report = lines()
    assert report[:2] == ["Plan of stack gke-free: 6 workers in us-central1-a.", "It fits."]
    assert (
        " ".join(row(report, "main "))
        == "main e2-standard-8 1 8 if master worker 30 GB pd-balanced on demand"
    )
    assert " ".join(row(report, "worker ")) == "worker 6 1000m 1024 MiB main"
    assert " ".join(row(report, "main ", 1)) == "main 7910m 889m 7020m 1m 28373 1268 10240 16865"
    assert " ".join(row(report, "CPUS ")) == "CPUS 2 8 8 8 8 - 0"
    assert " ".join(row(report, "nodes ")) == "nodes 0.2681"
    assert any(line.startswith("One run, from up to destroy: about 15 min, $0.10.") for line in report)
    start = next(place for place, line in enumerate(report) if line.startswith("Predicted, not measured:"))
    assert re.fullmatch(
        r"Predicted, not measured: \d+\.\d ms a step, \d+ s of training, [1-6]\.\d times as fast with 6"
        r" workers as with one of them alone \(training/cost_model\.py, costs of mnist\)\."
        r" Beyond \d+ such workers, none makes a step 1 % shorter\.",
        " ".join(report[start : start + 3]),
    )


def test_the_2016_layout_shows_eight_of_eight():
    report = lines(**LAYOUT_OF_2016)
    assert row(report, "workers ") == (
        ["workers", "n1-standard-1", "6", "6", "worker", "30", "GB", "pd-balanced", "on", "demand", "tainted"]
    )
    for metric in ("vcpuBudget", "CPUS", "CPUS_ALL_REGIONS"):
        assert row(report, f"{metric} ") == [metric, "2", "8", "8", "8", "8", "-", "0"]
    assert row(report, "SSD_TOTAL_GB ") == ["SSD_TOTAL_GB", "0", "250", "250", "250", "250", "-", "0"]


def test_a_refusal_says_so_why_and_what_would_fit():
    report = lines(workers=7, known=quotas(CPUS=(8, 1)), **LAYOUT_OF_2016)
    assert report[1] == "REFUSED: nothing is created."
    assert row(report, "CPUS ") == ["CPUS", "2", "9", "9", "9", "8", "1", "2", "OVER"]
    assert "Largest number of workers that fits: 5. Set workers to 5, or fit to true." in report


def test_an_unknown_quota_is_shown_as_unknown():
    assert "unknown" in row(lines(machine_type="t2d-standard-8", known=quotas()), "T2D_CPUS ")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        LAYOUT_OF_2016,
        {"workers": 7, **LAYOUT_OF_2016},
        {"workers": 9},
        {"zone": "us-central1", "machine_type": "nothing-like-it"},
        {"disk_type": "pd-balanced", "disk_gb": 100, **LAYOUT_OF_2016},
        {"workers": 1000, "vcpu_budget": 0, "node_sharing": NodeSharing.SERVICES},
        {"spot": True, "vcpu_budget": 64, "machine_type": "n2-standard-16"},
    ],
)
def test_it_is_never_wider_than_a_hundred_columns(changes):
    for known in (TRIAL, ROOMY):
        assert max(map(len, lines(known, **changes))) <= WIDTH


def test_json_has_every_number_and_says_whether_it_fits():
    plan = json.loads(as_json(decide(ask(), TRIAL)))
    assert plan["fits"] is True
    (pool,) = plan["layout"]["pools"]
    assert (pool["name"], pool["labels"]["app-worker"]) == ("main-e2-standard-8", "true")
    assert plan["peaks"][0] == {
        "metric": "vcpuBudget",
        "create": 2,
        "steady": 8,
        "upgrade": 8,
        "replace": 8,
        "limit": 8,
        "in_use": 0,
        "peak": 8,
        "fits": True,
    }
    assert plan["prediction"]["speedup"] > 1


def test_json_of_a_refusal_has_the_problems_and_the_largest_fit():
    refusal = json.loads(as_json(decide(ask(workers=7, **LAYOUT_OF_2016), TRIAL)))
    assert refusal["fits"] is False
    assert refusal["largest_fit"] == 6
    assert [problem.split(":")[0] for problem in refusal["problems"]][-3:] == [
        "vcpuBudget",
        "CPUS",
        "CPUS_ALL_REGIONS",
    ]
    assert refusal["nearest"]["pools"][2]["node_count"] == 7
    assert json.loads(as_json(decide(ask(zone="us-central1"), TRIAL)))["nearest"] is None
