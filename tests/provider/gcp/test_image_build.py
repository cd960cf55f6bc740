"""Images built by Cloud Build: Google's own client libraries against a local server in Google's place."""

import threading

import pytest

from provider.errors import InterruptedByUser, ProviderError
from provider.gcp import image_build
from provider.gcp.build_context import context_hash, packed
from provider.gcp.image_build import ImageBuild, Inputs
from provider.gcp.refusals import ServiceDisabledError
from provider.resource import State
from tests.gcp_double.cloud import PROJECT

REPOSITORY = f"us-central1-docker.pkg.dev/{PROJECT}/images"
ACCOUNT = f"builder@{PROJECT}.iam.gserviceaccount.com"


@pytest.fixture
def script(google, server, monkeypatch):
    del google  # enables the APIs
    monkeypatch.setattr(image_build, "POLL_S", 0.01)
    return server.builds.script


@pytest.fixture
def inputs(tmp_path):
    context = tmp_path / "training"
    context.mkdir()
    (context / "Dockerfile").write_text("FROM scratch AS server\n")
    return Inputs(
        project=PROJECT,
        repository=REPOSITORY,
        bucket="sources",
        service_account=ACCOUNT,
        context=str(context),
        context_hash=context_hash(context),
        dockerfile="Dockerfile",
        targets=["server", "interface"],
        platform="linux/amd64",
        timeout_s=600,
    )


def test_the_context_is_uploaded_and_the_digests_come_back(script, server, operation, lines, inputs):
    script.log = ["step one", "step two"]
    created = ImageBuild().create(operation, inputs)
    references = created.outputs.references
    assert sorted(references) == ["interface", "server"]
    assert references["server"].startswith(f"{REPOSITORY}/server@sha256:")
    assert references["server"] != references["interface"]
    uploaded = server.builds.objects[f"sources/context/{inputs.context_hash[:12]}.tar.gz"]
    assert uploaded == packed(image_build.Path(inputs.context))
    assert "step one" in lines
    assert "built and pushed server, interface" in lines


def test_the_build_runs_as_its_own_account_for_the_nodes_platform(script, server, operation, inputs):
    ImageBuild().create(operation, inputs)
    (build,) = server.builds.started.values()
    assert build["serviceAccount"] == f"projects/{PROJECT}/serviceAccounts/{ACCOUNT}"
    assert build["timeout"] == "600s"
    assert build["logsBucket"] == "gs://sources"
    assert len(build["steps"]) == 2
    words = " ".join(build["steps"][0]["args"])
    assert "--platform linux/amd64 --target server" in words


def test_each_line_of_the_log_is_shown_once(script, operation, lines, inputs, monkeypatch):
    monkeypatch.setattr(
        type(operation.progress),
        "show",
        lambda self, line: lines(self._urn, line, is_warning=False, is_ephemeral=True),
    )
    script.log = [f"line {number}" for number in range(30)]
    ImageBuild().create(operation, inputs)
    assert [line for line in lines if line.startswith("line ")] == script.log


def test_a_failed_build_ends_with_its_last_lines(script, operation, inputs):
    script.log = [*(f"line {number}" for number in range(40)), "ERROR: no such package"]
    script.outcome = "FAILURE"
    with pytest.raises(ProviderError, match="the build failed") as raised:
        ImageBuild().create(operation, inputs)
    assert "ERROR: no such package" in str(raised.value)
    assert "line 3\n" not in str(raised.value)


def test_a_build_that_takes_too_long_names_the_setting(script, operation, inputs):
    script.outcome = "TIMEOUT"
    with pytest.raises(ProviderError, match=r"600 s \(imageBuildTimeoutSeconds\)"):
        ImageBuild().create(operation, inputs)


def test_an_account_made_moments_ago_is_waited_for(script, server, operation, inputs, monkeypatch):
    monkeypatch.setattr(type(operation), "sleep", lambda *_: None)
    script.refused_starts = 3
    ImageBuild().create(operation, inputs)
    assert len(server.builds.started) == 1


def test_an_interruption_stops_the_build(script, server, operation, inputs):
    script.log = ["working"] * 100_000
    threading.Timer(0.3, operation.cancelled.set).start()
    with pytest.raises(InterruptedByUser, match="build-1 was stopped"):
        ImageBuild().create(operation, inputs)
    assert server.builds.cancelled == ["build-1"]


def test_an_api_that_is_off_names_the_command_that_enables_it(server, cloud, operation, inputs):
    server.refuse("POST /cloudbuild", 403, "Cloud Build API has not been used", "SERVICE_DISABLED")
    with pytest.raises(ServiceDisabledError, match=r"gcloud services enable cloudbuild.googleapis.com"):
        ImageBuild().create(operation, inputs)


@pytest.mark.parametrize(
    ("policy", "explanation"),
    [
        (None, "there is no repository"),
        ({"bindings": []}, "has no roles/artifactregistry.writer"),
        (
            {
                "bindings": [
                    {"role": "roles/artifactregistry.writer", "members": [f"serviceAccount:{ACCOUNT}"]}
                ]
            },
            "the login did not reach the registry",
        ),
    ],
)
def test_a_refused_push_is_traced_to_its_cause(script, server, operation, inputs, policy, explanation):
    script.log = ['denied: Permission "artifactregistry.repositories.uploadArtifacts" denied']
    script.outcome = "FAILURE"
    if policy is not None:
        server.answer_instead("GET /artifactregistry.*images:getIamPolicy", 200, policy)
        server.answer_instead("GET /artifactregistry.*images$", 200, {"name": "images"})
    with pytest.raises(ProviderError, match=explanation):
        ImageBuild().create(operation, inputs)


def test_only_what_decides_the_image_builds_it_again(inputs):
    outputs = image_build.Outputs(references={}, build_id="1")
    state = State("id", inputs, outputs)

    def changed(**fields):
        given = {name: getattr(inputs, name) for name in Inputs.__struct_fields__}
        return ImageBuild().diff(state, Inputs(**(given | fields))).changed

    assert changed() == frozenset()
    assert changed(context="/elsewhere", timeout_s=5) == frozenset()
    assert changed(context_hash="0" * 64) == {"contextHash"}
    assert changed(repository=f"{REPOSITORY}2") == {"repository"}


def test_images_that_are_gone_from_the_repository_are_noticed(script, server, operation, inputs):
    created = ImageBuild().create(operation, inputs)
    state = State(created.id, inputs, created.outputs)
    assert ImageBuild().read(operation, state) == state
    server.builds.started.clear()
    assert ImageBuild().read(operation, state) is None
