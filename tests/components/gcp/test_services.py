"""APIs stay on, and one that was switched on moments ago is waited for."""

import pytest

from components.gcp.services import Services, ServicesArgs, is_just_enabled
from tests.components.gcp.computed import google_recorder
from tests.components.mocks import declared
from tests.gcp_double.cloud import not_enabled


def test_apis_are_left_on_when_the_stack_goes():
    args = ServicesArgs(services=["compute", "container"])
    found = declared(lambda: Services("apis", args), google_recorder())
    for service in args.services:
        inputs = found.inputs_of(f"apis-{service}")
        assert inputs["service"] == f"{service}.googleapis.com"
        assert inputs["disableOnDestroy"] is False
        assert inputs["disableDependentServices"] is False


@pytest.mark.parametrize(
    ("error", "is_worth_waiting"),
    [
        (not_enabled("compute"), True),
        ("googleapi: Error 403: SERVICE_DISABLED", True),
        ("googleapi: Error 403: Required 'compute.networks.create' permission, forbidden", False),
        ("Insufficient regional quota to satisfy request", False),
    ],
)
def test_only_an_api_that_is_off_is_worth_another_try(error, is_worth_waiting):
    assert is_just_enabled(error) is is_worth_waiting
