"""The user's word that a cluster is gone for good."""

import pytest

from provider.unreachable import DELETE_UNREACHABLE, is_unreachable_dropped


@pytest.mark.parametrize(
    ("value", "is_dropped"), [("true", True), ("1", True), ("false", False), ("", False)]
)
def test_the_switch_is_the_kubernetes_providers_own(monkeypatch, value, is_dropped):
    monkeypatch.setenv(DELETE_UNREACHABLE, value)
    assert is_unreachable_dropped() is is_dropped
