"""Where images come from, for each builder."""

import dataclasses

import pulumi
import pytest

from components.gcp.images import Images, ImagesArgs
from tests.components.gcp.computed import OWNER, google_recorder
from tests.components.mocks import declared


def args(**changes):
    given = ImagesArgs(
        project="demo-project",
        region="us-central1",
        repository_id="tfcluster-gke-free",
        builder="cloudbuild",
        reader="serviceAccount:nodes",
        builder_account_id="tfcluster-gke-free-build",
        owner=pulumi.Output.from_input(OWNER),
        labels={"pulumi-stack": "gke-free"},
        description="of stack gke-free",
        context="/checkout/training",
        context_hash="0" * 64,
        build_timeout_s=3600,
    )
    return dataclasses.replace(given, **changes)


def images(**changes):
    return declared(lambda: Images("images", args(**changes)), google_recorder())


def test_old_images_go_but_never_the_newest():
    policies = images().inputs_of("images-repository")["cleanupPolicies"]
    assert [(one["id"], one["action"]) for one in policies] == [
        ("drop-untagged", "DELETE"),
        ("keep-newest", "KEEP"),
    ]
    assert policies[1]["mostRecentVersions"] == {"keepCount": 3}


def test_nodes_may_pull_and_the_builder_may_push_and_nobody_else():
    found = images()
    assert found.inputs_of("images-reader")["role"] == "roles/artifactregistry.reader"
    assert found.inputs_of("images-reader")["member"] == "serviceAccount:nodes"
    assert found.inputs_of("images-cloud-writer")["role"] == "roles/artifactregistry.writer"
    assert not [kind for kind, _ in found.inventory() if kind == "gcp:projects/iAMMember:IAMMember"]


def test_cloud_build_makes_both_images_for_the_nodes_platform():
    build = images().inputs_of("images-cloud-build")
    assert build["targets"] == ["server", "interface"]
    assert build["platform"] == "linux/amd64"
    assert build["contextHash"] == "0" * 64


def test_the_bucket_of_build_contexts_empties_itself_and_goes_with_the_stack():
    bucket = images().inputs_of("images-cloud-bucket")
    assert bucket["forceDestroy"] is True
    assert bucket["publicAccessPrevention"] == "enforced"
    assert bucket["lifecycleRules"][0]["condition"] == {"age": 7}
    assert OWNER in bucket["name"]


def test_docker_builds_for_the_nodes_platform_and_needs_no_account_and_no_bucket():
    found = images(builder="docker")
    kinds = {kind for kind, _ in found.inventory()}
    assert not kinds & {"gcp:storage/bucket:Bucket", "gcp:serviceaccount/account:Account"}
    for target in ("server", "interface"):
        image = found.inputs_of(f"images-docker-{target}")
        assert image["platforms"] == ["linux/amd64"]
        assert (image["target"], image["push"], image["buildOnPreview"]) == (target, True, False)
        (login,) = image["registries"]["value"]  # a secret as a whole
        assert login["address"] == "us-central1-docker.pkg.dev"
        assert login["username"] == "oauth2accesstoken"


@pytest.mark.parametrize("builder", ["cloudbuild", "docker"])
def test_references_carry_digests(builder):
    shown = []

    def build():
        made = Images("images", args(builder=builder))
        return pulumi.Output.all(*made.references.values()).apply(shown.extend)

    declared(build, google_recorder())
    assert len(shown) == 2
    assert all("@sha256:" in reference for reference in shown), shown
