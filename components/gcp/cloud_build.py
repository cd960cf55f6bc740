"""Images built by Google's Cloud Build, with an account and a bucket of the stack's own.

The build itself, its lines and its digests are the business of `provider.gcp.image_build`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp

from components.gcp.identity import ServiceAccount, ServiceAccountArgs
from components.gcp.names import bucket_name

DOCKERFILE = "Dockerfile"
CONTEXTS_KEPT_DAYS = 7


@dataclass(frozen=True, kw_only=True)
class CloudBuildImagesArgs:
    """What is built and where it goes.

    Attributes:
        project: Id of the Google Cloud project.
        region: Region of repository and bucket.
        repository_name: Name of the repository, once it exists.
        repository: Its address, as images are named.
        account_id: Id of the service account that builds run as.
        owner: The stack's life, in the name of the bucket.
        labels: Labels of the bucket.
        description: Stands in the place of labels, which accounts cannot carry.
        context: Absolute path of the folder that images are built from.
        context_hash: Hash of everything that decides the images; another one builds them anew.
        targets: Stages of its Dockerfile, each an image.
        platform: Platform of the images.
        build_timeout_s: How long a build may take.
    """

    project: str
    region: str
    repository_name: pulumi.Input[str]
    repository: pulumi.Input[str]
    account_id: str
    owner: pulumi.Output[str]
    labels: Mapping[str, pulumi.Input[str]]
    description: pulumi.Input[str]
    context: str
    context_hash: str
    targets: Sequence[str]
    platform: str
    build_timeout_s: int


class CloudBuildImages(pulumi.ComponentResource):
    """Images that nothing on the user's machine is needed for.

    Creates an account that may write to the repository and to its own bucket and nothing else, that bucket,
    and the build (a resource of the project's own).
    """

    references: dict[str, pulumi.Output[str]]
    """Image with digest by target, once it is pushed."""

    def __init__(
        self, name: str, args: CloudBuildImagesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("tfcluster:index:CloudBuildImages", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        account = ServiceAccount(
            f"{name}-builder",
            ServiceAccountArgs(
                project=args.project,
                account_id=args.account_id,
                display_name="Builds the stack's images",
                description=args.description,
            ),
            child,
        )
        writer = gcp.artifactregistry.RepositoryIamMember(
            f"{name}-writer",
            project=args.project,
            location=args.region,
            repository=args.repository_name,
            role="roles/artifactregistry.writer",
            member=account.member,
            opts=child,
        )
        bucket = gcp.storage.Bucket(
            f"{name}-bucket",
            name=args.owner.apply(lambda owner: bucket_name(args.project, owner)),
            location=args.region,
            labels=args.labels,
            force_destroy=True,
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            storage_class="STANDARD",
            soft_delete_policy={"retention_duration_seconds": 0},
            lifecycle_rules=[{"action": {"type": "Delete"}, "condition": {"age": CONTEXTS_KEPT_DAYS}}],
            opts=child,
        )
        storage = gcp.storage.BucketIAMMember(
            f"{name}-bucket-admin",
            bucket=bucket.name,
            role="roles/storage.admin",
            member=account.member,
            opts=pulumi.ResourceOptions(parent=self, deleted_with=bucket),
        )
        build = _ImageBuild(
            f"{name}-build",
            {
                "project": args.project,
                "repository": args.repository,
                "bucket": bucket.name,
                "serviceAccount": account.email,
                "context": args.context,
                "contextHash": args.context_hash,
                "dockerfile": DOCKERFILE,
                "targets": list(args.targets),
                "platform": args.platform,
                "timeoutS": args.build_timeout_s,
            },
            pulumi.ResourceOptions(parent=self, depends_on=[writer, storage]),
        )
        self.references = {target: build.references[target] for target in args.targets}
        self.register_outputs({"references": self.references})


class _ImageBuild(pulumi.CustomResource):
    references: pulumi.Output[dict[str, str]]

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        outputs = {"references": None, "buildId": None}
        super().__init__("tfcluster:index:ImageBuild", name, {**inputs, **outputs}, opts)
