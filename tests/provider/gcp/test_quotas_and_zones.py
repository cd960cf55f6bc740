"""Quotas, zones and machine types as the compute API tells them."""

import pytest

from provider.gcp.quotas import Quota, read_quotas
from provider.gcp.refusals import NotFoundError
from provider.gcp.zones import machine_types_of, region_of, zones_of, zones_offering


def test_regional_and_project_wide_metrics_are_read_with_their_use(google, cloud):
    with cloud.open() as state:
        state.occupy("others", {"CPUS": 2, "CPUS_ALL_REGIONS": 2})
    quotas = read_quotas(google, "us-central1")
    assert quotas["CPUS"] == Quota(limit=8, usage=2)
    assert quotas["CPUS_ALL_REGIONS"] == Quota(limit=12, usage=2)


def test_a_region_that_does_not_exist_is_an_error(google):
    with pytest.raises(NotFoundError):
        read_quotas(google, "us-central9")


def test_zones_and_what_they_offer_are_told_apart(google, cloud):
    with cloud.open() as state:
        state.leftovers["not offered in us-central1-a"] = [{"name": "n2-standard-4"}]
    assert zones_of(google, "europe-west1") == ["europe-west1-b", "europe-west1-c"]
    assert zones_of(google, "mars-north1") == []
    assert "n2-standard-4" not in machine_types_of(google, "us-central1-a")
    assert zones_offering(google, "us-central1", "n2-standard-4") == [
        "us-central1-b",
        "us-central1-c",
        "us-central1-f",
    ]


def test_a_machine_type_is_told_with_its_size_and_architecture(google):
    types = machine_types_of(google, "us-central1-a")
    assert (types["e2-medium"].vcpus, types["e2-medium"].memory_mib) == (2, 4096)
    assert types["t2a-standard-1"].architecture == "ARM64"


def test_a_region_in_the_place_of_a_zone_is_an_error(google):
    with pytest.raises(NotFoundError):
        machine_types_of(google, "us-central1")


def test_a_zones_region_is_its_name_without_the_letter():
    assert region_of("europe-west1-b") == "europe-west1"
