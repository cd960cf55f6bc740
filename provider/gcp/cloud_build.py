"""One build on Cloud Build: context up, lines back, digests at the end; through Google's client libraries.

It uploads to and logs in a bucket of the stack's own, as builds under a service account of one's own must
(https://cloud.google.com/build/docs/securing-builds/configure-user-specified-service-accounts). Tried against
a local server that answers as the documented APIs do, not against a live account.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import google.auth.credentials
from google.api_core import exceptions
from google.api_core.client_options import ClientOptions
from google.cloud import storage
from google.cloud.devtools import cloudbuild_v1
from google.cloud.devtools.cloudbuild_v1.services.cloud_build.transports.rest import CloudBuildRestTransport
from google.protobuf.duration_pb2 import Duration

BUILDER = "gcr.io/cloud-builders/docker"
"""Google's own image with Docker in it, in which each step of the build runs."""

Status = cloudbuild_v1.Build.Status
_ENDED_BADLY = {Status.FAILURE, Status.INTERNAL_ERROR, Status.TIMEOUT, Status.CANCELLED, Status.EXPIRED}


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """What is to be built.

    Attributes:
        project: Project that builds.
        repository: Image repository, e.g. ``us-central1-docker.pkg.dev/my-project/my-repository``.
        bucket: Bucket for the context and the log.
        service_account: E-mail address of the account that the build runs as.
        dockerfile: Path in the context.
        targets: Stages of the Dockerfile, each an image of that name.
        platform: E.g. ``linux/amd64``.
        tag: Tag of the images, besides their digests.
        timeout_s: How long the build may take.
    """

    project: str
    repository: str
    bucket: str
    service_account: str
    dockerfile: str
    targets: Sequence[str]
    platform: str
    tag: str
    timeout_s: int

    @property
    def context_object(self) -> str:
        """Name in the bucket of the packed context."""
        return f"context/{self.tag}.tar.gz"

    def image(self, target: str) -> str:
        """Name of a target's image without a digest."""
        return f"{self.repository}/{target}:{self.tag}"


def build_of(request: BuildRequest) -> cloudbuild_v1.Build:
    """The build in Cloud Build's words: one step a target, which share one machine and its layers."""
    return cloudbuild_v1.Build(
        source=cloudbuild_v1.Source(
            storage_source=cloudbuild_v1.StorageSource(bucket=request.bucket, object_=request.context_object)
        ),
        steps=[
            cloudbuild_v1.BuildStep(
                id=target,
                name=BUILDER,
                env=["DOCKER_BUILDKIT=1"],
                args=[
                    "build",
                    *("--progress", "plain", "--platform", request.platform, "--target", target),
                    *("--tag", request.image(target), "--file", request.dockerfile, "."),
                ],
            )
            for target in request.targets
        ],
        images=[request.image(target) for target in request.targets],
        timeout=Duration(seconds=request.timeout_s),
        service_account=f"projects/{request.project}/serviceAccounts/{request.service_account}",
        logs_bucket=f"gs://{request.bucket}",
        options=cloudbuild_v1.BuildOptions(
            logging=cloudbuild_v1.BuildOptions.LoggingMode.GCS_ONLY,
            log_streaming_option=cloudbuild_v1.BuildOptions.LogStreamingOption.STREAM_ON,
        ),
    )


class CloudBuild:
    """Google's clients for one project.

    Args:
        project: Id of the project.
        credentials: Credentials for both APIs.
        address_of: Address of an API by its short name.
    """

    def __init__(
        self,
        project: str,
        credentials: google.auth.credentials.Credentials,
        address_of: Callable[[str], str],
    ) -> None:
        self._project = project
        scheme, _, host = address_of("cloudbuild").partition("://")
        transport = CloudBuildRestTransport(host=host, url_scheme=scheme, credentials=credentials)
        self._builds = cloudbuild_v1.CloudBuildClient(transport=transport)
        options = ClientOptions(api_endpoint=address_of("storage"))
        self._storage = storage.Client(project=project, credentials=credentials, client_options=options)

    def upload(self, bucket: str, name: str, content: bytes) -> None:
        """Put a packed context into a bucket."""
        self._storage.bucket(bucket).blob(name).upload_from_string(content, content_type="application/gzip")

    def start(self, build: cloudbuild_v1.Build) -> str:
        """Start a build; return its id."""
        operation = self._builds.create_build(project_id=self._project, build=build)
        metadata: Any = operation.metadata
        return str(metadata.build.id)

    def get(self, build_id: str) -> cloudbuild_v1.Build:
        """Look at a build."""
        return self._builds.get_build(project_id=self._project, id=build_id)

    def cancel(self, build_id: str) -> None:
        """Stop a build; one that has ended already is no error."""
        try:
            self._builds.cancel_build(project_id=self._project, id=build_id)
        except (exceptions.FailedPrecondition, exceptions.BadRequest, exceptions.NotFound):
            return

    def log_tail(self, bucket: str, build_id: str, offset: int) -> bytes:
        """What was added to a build's log after so many bytes; nothing where there is no log yet."""
        log = self._storage.bucket(bucket).blob(f"log-{build_id}.txt")
        try:
            return bytes(log.download_as_bytes(start=offset))
        except (exceptions.NotFound, exceptions.RequestRangeNotSatisfiable):
            return b""


class LogLines:
    """Turns pieces of a log into whole lines."""

    def __init__(self) -> None:
        self.offset = 0
        self._rest = b""

    def take(self, piece: bytes) -> Iterator[str]:
        """Whole lines of what has come so far; the beginning of the next one waits for its end."""
        self.offset += len(piece)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        yield from (line.decode(errors="replace").rstrip() for line in lines)

    def rest(self) -> Iterator[str]:
        """The last line, where it has no end."""
        if self._rest:
            yield self._rest.decode(errors="replace").rstrip()
            self._rest = b""


def has_ended_badly(build: cloudbuild_v1.Build) -> bool:
    """Whether a build is over without success."""
    return build.status in _ENDED_BADLY


def digests_of(build: cloudbuild_v1.Build) -> dict[str, str]:
    """Digest, ``sha256:...``, by image name of a build that succeeded."""
    return {image.name: image.digest for image in build.results.images}
