"""A user's day with the `kubernetes` stack, on a real cluster through the real engine and provider.

The tests of this module are steps of one story and rely on the order in which they stand.
"""

import pytest

pytestmark = pytest.mark.kubernetes


def test_one_up_leads_from_nothing_to_a_trained_network(stack, cluster):
    up = stack.up().checked()
    outputs = stack.outputs()
    assert outputs["status"] == "succeeded", up.text
    assert outputs["steps"] == 40
    assert outputs["workers"] == 2
    assert outputs["test_accuracy"] > 0.6, up.text  # chance is 0.1
    nodes = {pod["spec"]["nodeName"] for pod in cluster.pods("worker").values()}
    assert nodes == {"work-1", "work-2"}
