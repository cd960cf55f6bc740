"""References to images that exist already."""

import pytest

from stacks.image_references import image_problem

DIGEST = f"@sha256:{'0' * 64}"


def test_a_reference_by_digest_is_taken():
    assert image_problem("serverImage", f"us-central1-docker.pkg.dev/p/r/server{DIGEST}") is None


@pytest.mark.parametrize("image", ["", "r/server", "r/server:latest", "r/server@sha256:123"])
def test_a_reference_without_a_digest_names_the_command_that_sets_one(image):
    problem = image_problem("serverImage", image)
    assert problem is not None
    assert "pulumi config set serverImage <repository>@sha256:" in problem


@pytest.mark.parametrize(
    ("host", "successor"),
    [("gcr.io", "us"), ("us.gcr.io", "us"), ("eu.gcr.io", "europe"), ("asia.gcr.io", "asia")],
)
def test_googles_old_registry_is_refused_with_the_new_form(host, successor):
    problem = image_problem("serverImage", f"{host}/proj/server{DIGEST}")
    assert problem is not None
    assert f"{successor}-docker.pkg.dev/PROJECT/REPOSITORY/server" in problem
