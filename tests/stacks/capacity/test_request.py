from tests.stacks.capacity.asked import ask


def test_the_region_is_that_of_the_zone_or_what_was_written_in_its_place():
    assert ask(zone="us-central1-a").region == "us-central1"
    assert ask(zone="us-central1").region == "us-central1"
