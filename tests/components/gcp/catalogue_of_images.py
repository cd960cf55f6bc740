"""The components that build images, as entries of the catalogue."""

import pulumi

from components.gcp.cloud_build import CloudBuildImages, CloudBuildImagesArgs
from components.gcp.docker_build import DockerImages, DockerImagesArgs
from components.gcp.images import Images, ImagesArgs
from tests.components.gcp.catalogue_entry import Entry, owner

BUILT = {"context": "/checkout/training", "context_hash": "0" * 64, "build_timeout_s": 3600}
BUILT_OTHERWISE = {"context": "/other/training", "context_hash": "1" * 64, "build_timeout_s": 60}

OF_IMAGES = {
    "images": Entry(
        component=Images,
        args=lambda: ImagesArgs(
            project="demo-project",
            region="us-central1",
            repository_id="tf",
            builder="cloudbuild",
            reader="serviceAccount:nodes",
            builder_account_id="tf-build",
            owner=owner(),
            labels={"a": "b"},
            description="of it",
            **BUILT,
        ),
        changes=lambda: {
            "project": "other-project",
            "region": "us-east1",
            "repository_id": "other",
            "builder": "docker",
            "reader": "serviceAccount:other",
            "builder_account_id": "other-build",
            "owner": owner("89abcdef"),
            "labels": {"a": "c"},
            "description": "no",
            **BUILT_OTHERWISE,
        },
        creates={
            ("Repository", "it-repository"),
            ("RepositoryIamMember", "it-reader"),
            ("CloudBuildImages", "it-cloud"),
            ("GoogleServiceAccount", "it-cloud-builder"),
            ("Account", "it-cloud-builder-account"),
            ("RepositoryIamMember", "it-cloud-writer"),
            ("Bucket", "it-cloud-bucket"),
            ("BucketIAMMember", "it-cloud-bucket-admin"),
            ("ImageBuild", "it-cloud-build"),
        },
    ),
    "cloud build": Entry(
        component=CloudBuildImages,
        args=lambda: CloudBuildImagesArgs(
            project="demo-project",
            region="us-central1",
            repository_name="tf",
            repository="us-central1-docker.pkg.dev/demo-project/tf",
            account_id="tf-build",
            owner=owner(),
            labels={"a": "b"},
            description="of it",
            targets=["server", "interface"],
            platform="linux/amd64",
            **BUILT,
        ),
        changes=lambda: {
            "project": "other-project",
            "region": "us-east1",
            "repository_name": "other",
            "repository": "us-central1-docker.pkg.dev/demo-project/other",
            "account_id": "other-build",
            "owner": owner("89abcdef"),
            "labels": {"a": "c"},
            "description": "no",
            "targets": ["server"],
            "platform": "linux/arm64",
            **BUILT_OTHERWISE,
        },
        creates={
            ("GoogleServiceAccount", "it-builder"),
            ("Account", "it-builder-account"),
            ("RepositoryIamMember", "it-writer"),
            ("Bucket", "it-bucket"),
            ("BucketIAMMember", "it-bucket-admin"),
            ("ImageBuild", "it-build"),
        },
    ),
    "docker build": Entry(
        component=DockerImages,
        args=lambda: DockerImagesArgs(
            registry="us-central1-docker.pkg.dev",
            repository=pulumi.Output.from_input("us-central1-docker.pkg.dev/demo-project/tf"),
            context="/checkout/training",
            targets=["server", "interface"],
            platform="linux/amd64",
            build_timeout_s=3600,
        ),
        changes=lambda: {
            "registry": "us-east1-docker.pkg.dev",
            "repository": pulumi.Output.from_input("us-central1-docker.pkg.dev/demo-project/other"),
            "context": "/other/training",
            "targets": ["server"],
            "platform": "linux/arm64",
            "build_timeout_s": 60,
        },
        creates={("Image", "it-server"), ("Image", "it-interface")},
    ),
}
