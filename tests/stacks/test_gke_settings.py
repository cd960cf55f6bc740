"""Settings without effect on a GKE stack are told, one sentence each."""

import pytest

from stacks.gke_settings import useless_settings
from stacks.google_account import setting_findings
from stacks.settings import parse
from stacks.stack_file import stack_values
from tests.engine import CHECKOUT

IMAGE = f"us-central1-docker.pkg.dev/p/r/server@sha256:{'0' * 64}"
USELESS = {
    "kubeconfig": "~/.kube/config",
    "context": "mine",
    "interfaceNodeSelector": "a=b",
    "masterNodeSelector": "a=b",
    "workerNodeSelector": "a=b",
    "tolerations": "a:NoSchedule",
    "runsStorageClass": "fast",
    "keepRunsVolume": "true",
    "dataFile": "mnist.npz",
    "serverImage": IMAGE,
    "interfaceImage": IMAGE,
}
"""A value for each setting that a GKE stack as shipped has no use for."""


def settings(**changes):
    return parse(stack_values(CHECKOUT, "gke-free") | changes, "the test")


@pytest.mark.parametrize("stack", ["gke-free", "gke"])
def test_a_shipped_stack_sets_nothing_in_vain(stack):
    assert list(useless_settings(parse(stack_values(CHECKOUT, stack), "the test"))) == []


@pytest.mark.parametrize("key", USELESS)
def test_a_setting_without_effect_is_named_with_its_reason_and_fix(key):
    (sentence,) = useless_settings(settings(**{key: USELESS[key]}))
    assert sentence.startswith(f"{key} has no effect with ")
    assert f"`pulumi config rm {key}`" in sentence


def test_all_are_told_at_once_and_as_problems():
    findings = list(setting_findings(settings(**USELESS)))
    assert len(findings) == len(USELESS)
    assert all(finding.is_problem for finding in findings)


def test_prebuilt_images_are_of_use():
    given = {"imageBuilder": "prebuilt", "serverImage": IMAGE, "interfaceImage": IMAGE}
    assert list(useless_settings(settings(**given))) == []
