"""Names and labels, for stack names of every length that Pulumi allows."""

import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from components.gcp.names import Names, bucket_name, fitted, label_value, role_id

STACK_NAMES = some.text(string.ascii_letters + string.digits + "-_.", min_size=1, max_size=100)
GCP_NAME = r"[a-z]([-a-z0-9]*[a-z0-9])?"


@pytest.mark.parametrize("stack", ["a", "gke-free", "x" * 40, "Some.Stack_with-Everything-In-Its-Name-40c"])
def test_names_keep_googles_limits(stack):
    names = Names(project="tfcluster", stack=stack)
    assert len(names.base) <= 40
    assert re.fullmatch(GCP_NAME, names.base)
    for account in names.accounts():
        assert 6 <= len(account) <= 30
        assert re.fullmatch(GCP_NAME, account)


def test_an_ordinary_stack_has_readable_names():
    names = Names(project="tfcluster", stack="gke-free")
    assert names.base == "tfcluster-gke-free"
    assert names.node_account == "tfcluster-gke-free-nodes"
    assert names.labels() == {"pulumi-project": "tfcluster", "pulumi-stack": "gke-free"}


@given(STACK_NAMES, STACK_NAMES)
@example("x", "x-nodes")
@example("a-b", "a.b")
@example("A", "a")
def test_two_stacks_never_share_a_name_or_a_label(first, second):
    ours, theirs = (Names(project="tfcluster", stack=stack) for stack in (first, second))
    if first != second:
        assert ours.base != theirs.base
        assert not set(ours.accounts()) & set(theirs.accounts())
        assert ours.labels() != theirs.labels()


@given(STACK_NAMES, some.sampled_from(["", "nodes"]), some.integers(20, 63))
def test_a_fitted_name_fits_and_stays_the_same(stack, suffix, limit):
    name = fitted("tfcluster", stack, suffix, limit)
    assert len(name) <= limit
    assert re.fullmatch(GCP_NAME, name)
    assert name == fitted("tfcluster", stack, suffix, limit)
    assert name.endswith(suffix)


@given(STACK_NAMES)
def test_a_label_value_is_allowed_by_google(stack):
    assert re.fullmatch(r"[a-z0-9_-]{1,63}", label_value(stack))


def test_names_of_one_life_differ_from_those_of_the_next():
    assert re.fullmatch(r"[a-zA-Z0-9_.]{3,64}", role_id("0123abcd"))
    assert role_id("0123abcd") != role_id("4567abcd")
    assert bucket_name("p" * 60, "0123abcd") == f"{'p' * 40}-tfcluster-0123abcd"
    assert bucket_name("example.com:my-project", "0123abcd").startswith("example-com-my-project")
