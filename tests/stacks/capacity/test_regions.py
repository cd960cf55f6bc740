import pytest

from stacks.capacity.regions import REGIONS, is_zone, zones_of


@pytest.mark.parametrize("name", ["us-central1-a", "northamerica-northeast2-c", "europe-west10-b"])
def test_a_zone_is_a_region_and_a_letter(name):
    assert is_zone(name)


@pytest.mark.parametrize("name", ["us-central1", "us-central1-ab", "us-central-a", "a", "us_central1-a", ""])
def test_anything_else_is_not(name):
    assert not is_zone(name)


def test_every_known_zone_has_the_form_of_one():
    assert len(REGIONS) > 40
    for region in REGIONS:
        assert len(zones_of(region)) >= 3
        assert all(is_zone(zone) for zone in zones_of(region))


def test_zones_are_lettered_as_google_letters_them():
    assert zones_of("us-central1") == ("us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f")
    assert zones_of("us-east1") == ("us-east1-b", "us-east1-c", "us-east1-d")
    assert zones_of("nowhere1") == ()


def test_no_region_is_cheaper_than_the_one_the_prices_are_from():
    assert REGIONS["us-central1"].price_factor == 1
    assert min(region.price_factor for region in REGIONS.values()) == 1
