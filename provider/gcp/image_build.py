"""The container images of a stack, built by Cloud Build: nothing is needed on the user's machine.

The hash of the context decides: while it stays, nothing is uploaded, built or pushed. The images themselves
go with their repository; deleting this resource deletes nothing.
"""

import time
from pathlib import Path
from urllib.parse import quote

from google.api_core import exceptions
from google.cloud.devtools import cloudbuild_v1

from provider.errors import InterruptedByUser, ProviderError
from provider.gcp.build_context import packed
from provider.gcp.cloud_build import (
    BuildRequest,
    CloudBuild,
    LogLines,
    Status,
    build_of,
    digests_of,
    has_ended_badly,
)
from provider.gcp.push_diagnosis import why_push_was_refused
from provider.gcp.refusals import NotFoundError, explained
from provider.gcp.rest import Google, default_credentials, endpoint
from provider.operation import HEARTBEAT_S, Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Resource, State

POLL_S = 2.0
GRANT_SETTLE_S = 180.0
"""How long a service account or a role may be unknown to Cloud Build after it was made."""

_LINES_KEPT = 15


class Inputs(Properties, frozen=True, kw_only=True):
    """What is built from what, and where it goes."""

    project: str
    repository: str
    bucket: str
    service_account: str
    context: str
    context_hash: str
    dockerfile: str
    targets: list[str]
    platform: str
    timeout_s: int


class Outputs(Properties, frozen=True, kw_only=True):
    """Image references with digests by target, and the build that made them."""

    references: dict[str, str]
    build_id: str


class ImageBuild(Resource[Inputs, Outputs]):
    """Images of one Dockerfile's stages, referred to by digest."""

    inputs_type = Inputs
    outputs_type = Outputs

    def diff(self, state: State[Inputs, Outputs], inputs: Inputs) -> Diff:
        """Another checkout's path or another deadline builds nothing."""
        found = super().diff(state, inputs)
        changed = found.changed - {"context", "timeoutS", "bucket", "serviceAccount"}
        return Diff(changed)

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Build and push."""
        outputs = _build(operation, inputs)
        return Created(f"{inputs.repository}/{'+'.join(inputs.targets)}", outputs)

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Gone where one of the images is no longer in the repository."""
        del operation
        google = Google(state.inputs.project)
        try:
            for reference in state.outputs.references.values():
                google.get("artifactregistry", _image_path(reference))
        except NotFoundError:
            return None
        return state

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Build and push again."""
        del state
        return _build(operation, inputs)

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Leave the images to their repository."""


def _build(operation: Operation, inputs: Inputs) -> Outputs:
    request = BuildRequest(
        project=inputs.project,
        repository=inputs.repository,
        bucket=inputs.bucket,
        service_account=inputs.service_account,
        dockerfile=inputs.dockerfile,
        targets=inputs.targets,
        platform=inputs.platform,
        tag=inputs.context_hash[:12],
        timeout_s=inputs.timeout_s,
    )
    cloud = CloudBuild(inputs.project, default_credentials(), endpoint)
    content = packed(Path(inputs.context))
    with explained("storage", inputs.project):
        cloud.upload(request.bucket, request.context_object, content)
    operation.progress.say(f"uploaded {len(content) / 1024:.0f} KiB, building {' and '.join(inputs.targets)}")
    with explained("cloudbuild", inputs.project):
        build_id = _start(operation, cloud, build_of(request))
        build = _followed(operation, cloud, request, build_id)
    digests = digests_of(build)
    references = {
        target: f"{request.repository}/{target}@{digests[request.image(target)]}" for target in inputs.targets
    }
    return Outputs(references=references, build_id=build_id)


def _start(operation: Operation, cloud: CloudBuild, build: cloudbuild_v1.Build) -> str:
    """Start a build, patiently while its service account is so new that Cloud Build refuses it."""
    deadline = time.monotonic() + GRANT_SETTLE_S
    while True:
        try:
            return cloud.start(build)
        except (exceptions.Forbidden, exceptions.NotFound, exceptions.BadRequest) as error:
            if "service account" not in str(error.message).lower() or time.monotonic() > deadline:
                raise
            operation.progress.show(
                f"the build's service account is not known everywhere yet: {error.message}"
            )
            operation.sleep(5)


def _followed(
    operation: Operation, cloud: CloudBuild, request: BuildRequest, build_id: str
) -> cloudbuild_v1.Build:
    lines, last = LogLines(), list[str]()
    try:
        while True:
            build = cloud.get(build_id)
            for line in lines.take(cloud.log_tail(request.bucket, build_id, lines.offset)):
                operation.progress.show(line)
                last = [*last, line][-_LINES_KEPT:]
            if build.status == Status.SUCCESS:
                operation.progress.say(f"built and pushed {', '.join(request.targets)}")
                return build
            if has_ended_badly(build):
                raise _failure(request, build, [*last, *lines.rest()])
            if time.monotonic() - operation.progress.last_line_at > HEARTBEAT_S:
                operation.progress.say(f"build {build_id} goes on ({build.status.name.lower()})")
            operation.sleep(POLL_S)
    except InterruptedByUser:
        cloud.cancel(build_id)
        raise InterruptedByUser(f"{operation.name}: interrupted, build {build_id} was stopped") from None


def _failure(request: BuildRequest, build: cloudbuild_v1.Build, last: list[str]) -> ProviderError:
    log = "".join(f"\n    {line}" for line in last)
    if build.status == Status.TIMEOUT:
        return ProviderError(
            f"the build was stopped after {request.timeout_s} s (imageBuildTimeoutSeconds). Raise it if the"
            f" build only needs more time. Its last lines:{log}"
        )
    refused = why_push_was_refused(Google(request.project), request.repository, request.service_account, last)
    if refused:
        return ProviderError(f"the images were built, but may not be pushed: {refused}")
    return ProviderError(
        f"the build failed ({build.status.name}); whole log: {build.log_url}. Its last lines:{log}"
    )


def _image_path(reference: str) -> str:
    host, project, repository, image = reference.split("/", 3)
    location = host.removesuffix("-docker.pkg.dev")
    parent = f"/v1/projects/{project}/locations/{location}/repositories/{repository}"
    return f"{parent}/dockerImages/{quote(image, safe='')}"
