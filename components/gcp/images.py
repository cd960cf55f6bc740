"""Container images of a stack: a repository in the cluster's region, and what fills it.

Two images come from one Dockerfile: `server` and `interface`, for amd64 nodes whatever the user's machine is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_gcp as gcp

from components.gcp.cloud_build import CloudBuildImages, CloudBuildImagesArgs
from components.gcp.docker_build import DockerImages, DockerImagesArgs

TARGETS = ("server", "interface")
"""Stages of the Dockerfile that become images."""

PLATFORM = "linux/amd64"
KEPT_VERSIONS = 3
UNTAGGED_KEPT = "604800s"


@dataclass(frozen=True, kw_only=True)
class ImagesArgs:
    """Where images come from and who may have them.

    Attributes:
        project: Id of the Google Cloud project.
        region: Region of the repository.
        repository_id: Name of the repository.
        builder: Who builds: Google's Cloud Build, or Docker on this machine.
        reader: Member that pulls images, the nodes' service account.
        builder_account_id: Id of the service account of builds on Cloud Build.
        owner: The stack's life, in the name of the bucket for build contexts.
        labels: Labels of repository and bucket.
        description: What the repository is for.
        context: Absolute path of the folder with the Dockerfile.
        context_hash: Hash of everything in it; another one builds the images anew on Cloud Build.
        build_timeout_s: How long a build may take.
    """

    project: str
    region: str
    repository_id: str
    builder: Literal["cloudbuild", "docker"]
    reader: pulumi.Input[str]
    builder_account_id: str
    owner: pulumi.Output[str]
    labels: Mapping[str, pulumi.Input[str]]
    description: pulumi.Input[str]
    context: str
    context_hash: str
    build_timeout_s: int


class Images(pulumi.ComponentResource):
    """Images by digest, which nodes may pull.

    Creates the repository, the nodes' right to read it, and the builder's own resources. Superseded images
    are cleared away, but never the newest few, which running pods may still refer to.
    """

    references: dict[str, pulumi.Output[str]]
    """Image with digest by target, once it is pushed and the nodes may pull it."""

    pull_grant: gcp.artifactregistry.RepositoryIamMember
    """The nodes' right to pull, which is to be there before the nodes are."""

    def __init__(self, name: str, args: ImagesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Images", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        repository = gcp.artifactregistry.Repository(
            f"{name}-repository",
            repository_id=args.repository_id,
            location=args.region,
            description=args.description,
            labels=args.labels,
            format="DOCKER",
            mode="STANDARD_REPOSITORY",
            docker_config={"immutable_tags": False},
            cleanup_policy_dry_run=False,
            cleanup_policies=cleanup_policies(),
            vulnerability_scanning_config={"enablement_config": "DISABLED"},
            opts=child,
        )
        self.pull_grant = gcp.artifactregistry.RepositoryIamMember(
            f"{name}-reader",
            project=args.project,
            location=args.region,
            repository=repository.name,
            role="roles/artifactregistry.reader",
            member=args.reader,
            opts=pulumi.ResourceOptions(parent=self, deleted_with=repository),
        )
        built = self._built(name, args, repository, child)
        self.references = {
            target: pulumi.Output.all(reference, self.pull_grant.id).apply(lambda values: str(values[0]))
            for target, reference in built.items()
        }
        self.register_outputs({"references": self.references})

    def _built(
        self,
        name: str,
        args: ImagesArgs,
        repository: gcp.artifactregistry.Repository,
        child: pulumi.ResourceOptions,
    ) -> Mapping[str, pulumi.Output[str]]:
        if args.builder == "docker":
            docker = DockerImagesArgs(
                registry=f"{args.region}-docker.pkg.dev",
                repository=repository.registry_uri,
                context=args.context,
                targets=TARGETS,
                platform=PLATFORM,
                build_timeout_s=args.build_timeout_s,
            )
            return DockerImages(f"{name}-docker", docker, child).references
        cloud = CloudBuildImagesArgs(
            project=args.project,
            region=args.region,
            repository_name=repository.name,
            repository=repository.registry_uri,
            account_id=args.builder_account_id,
            owner=args.owner,
            labels=args.labels,
            description=args.description,
            context=args.context,
            context_hash=args.context_hash,
            targets=TARGETS,
            platform=PLATFORM,
            build_timeout_s=args.build_timeout_s,
        )
        return CloudBuildImages(f"{name}-cloud", cloud, child).references


def cleanup_policies() -> list[gcp.artifactregistry.RepositoryCleanupPolicyArgsDict]:
    """Old images go; the newest stay whatever their age, as running pods may still refer to them."""
    return [
        {
            "id": "drop-untagged",
            "action": "DELETE",
            "condition": {"tag_state": "UNTAGGED", "older_than": UNTAGGED_KEPT},
        },
        {"id": "keep-newest", "action": "KEEP", "most_recent_versions": {"keep_count": KEPT_VERSIONS}},
    ]
