"""Whatever a provider raises leaves as a status with one message."""

import grpc
import pytest

from provider.errors import InterruptedByUser, ProviderError
from provider.serving import status_of


def wrapped_as_the_sdk_does(error):
    """The SDK catches what a provider raises and raises a plain exception with its traceback as text."""
    outer = Exception(f"{error}:\ntraceback")
    outer.__context__ = error
    return outer


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ProviderError("set it to 2"), grpc.StatusCode.FAILED_PRECONDITION),
        (InterruptedByUser("set it to 2"), grpc.StatusCode.ABORTED),
    ],
)
def test_a_message_for_the_user_is_found_behind_what_the_sdk_made_of_it(error, code):
    assert status_of(wrapped_as_the_sdk_does(error)) == (code, "set it to 2")


def test_what_is_not_implemented_says_so_to_the_engine():
    assert status_of(NotImplementedError("no"))[0] == grpc.StatusCode.UNIMPLEMENTED


def test_anything_else_is_an_internal_failure_by_its_name():
    assert status_of(KeyError("x")) == (grpc.StatusCode.INTERNAL, "unexpected KeyError: 'x'")
