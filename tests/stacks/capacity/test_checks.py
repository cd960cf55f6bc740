import pytest

from stacks.capacity import checks
from tests.stacks.capacity.asked import ask, refused


def problems(**changes: object) -> list[str]:
    request = ask(**changes)
    return [
        *checks.zone_problems(request),
        *checks.disk_size_problems(request),
        *checks.machine_problems(request),
    ]


def test_what_is_right_has_no_problem():
    assert problems() == []
    assert problems(machine_type="c3-highcpu-4", disk_type="pd-balanced", zone="europe-west4-b") == []


def test_a_region_is_refused_with_its_zones():
    (problem,) = problems(zone="europe-west1")
    assert "zone=europe-west1 is a region" in problem
    assert "three times the nodes" in problem
    assert "Set zone to one of europe-west1-b, europe-west1-c, europe-west1-d." in problem


def test_a_misspelt_zone_is_refused_with_the_nearest():
    (problem,) = problems(zone="us-centrall-a")
    assert "is not the name of a zone" in problem
    assert "us-central1-a" in problem


def test_an_unknown_machine_type_is_refused_with_the_nearest():
    (problem,) = problems(machine_type="n1-standart-1")
    assert "machineType=n1-standart-1 is no machine type that this program knows" in problem
    assert "did you mean n1-standard-1" in problem


def test_a_type_that_the_zone_does_not_offer_is_refused_with_those_it_does():
    offered = frozenset({"e2-standard-4", "n2-standard-4", "e2-standard-2", "t2a-standard-4"})
    (problem,) = problems(machine_type="c3-standard-4", offered=offered)
    assert "machineType=c3-standard-4 is not offered in zone=us-central1-a" in problem
    assert "There you can choose e2-standard-4, n2-standard-4; or set another zone of us-central1." in problem


def test_a_zone_that_offers_nothing_known_is_refused():
    (problem,) = problems(offered=frozenset({"a3-highgpu-8g"}))
    assert "offers no machine type that this program knows" in problem
    (problem,) = problems(offered=frozenset({"e2-standard-4"}), disk_type="hyperdisk-balanced")
    assert "takes diskType=hyperdisk-balanced" in problem


def test_an_arm_machine_is_refused_for_amd64_images():
    (problem,) = problems(machine_type="t2a-standard-4")
    assert "is an arm64 machine, the images are built for amd64" in problem
    assert "e2-standard-4" in problem


def test_arm_images_may_run_on_arm_machines():
    assert problems(machine_type="t2a-standard-4", image_arch="arm64") == []
    assert "is an amd64 machine" in problems(machine_type="e2-standard-4", image_arch="arm64")[0]


@pytest.mark.parametrize(
    ("machine", "disk"),
    [
        ("c3-standard-4", "pd-standard"),
        ("c4-standard-4", "pd-balanced"),
        ("e2-standard-4", "hyperdisk-balanced"),
    ],
)
def test_a_disk_type_that_the_family_does_not_take_is_refused_with_those_it_does(machine, disk):
    (problem,) = problems(machine_type=machine, disk_type=disk)
    assert f"diskType={disk} is not supported by machineType={machine}, which takes " in problem
    assert "or to auto." in problem


def test_a_disk_too_small_for_the_images_is_refused_with_the_arithmetic():
    assert problems(disk_gb=20) == []
    (problem,) = problems(disk_gb=12)
    assert "diskGb=12 leaves 4 GiB for images and pods' files, which need 6 GiB" in problem


def test_all_mistakes_are_reported_at_once():
    offered = frozenset({"e2-standard-4"})
    refusal = refused(
        ask(
            zone="us-east1",
            machine_type="t2a-standard-4",
            disk_gb=12,
            disk_type="hyperdisk-balanced",
            offered=offered,
        )
    )
    for expected in ("zone=us-east1", "diskGb=12", "arm64", "is not offered", "diskType=hyperdisk-balanced"):
        assert any(expected in problem for problem in refusal.problems), expected
    assert len(refusal.problems) == 5
