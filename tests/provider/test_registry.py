"""Every resource that the engine may ask for is there."""

import pytest

from provider.errors import ProviderError
from provider.registry import RESOURCES, make_resource
from provider.resource import Resource


@pytest.mark.parametrize("token", RESOURCES)
def test_each_token_has_a_resource_of_that_name(token):
    made = make_resource(token)
    assert isinstance(made, Resource)
    assert token == f"tfcluster:index:{type(made).__name__}"


def test_tokens_are_sorted():
    assert list(RESOURCES) == sorted(RESOURCES)


def test_an_unknown_token_is_refused_with_those_there_are():
    with pytest.raises(
        ProviderError, match=r"tfcluster:index:Nothing is no resource .*tfcluster:index:LocalRun"
    ):
        make_resource("tfcluster:index:Nothing")
