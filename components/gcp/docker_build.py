"""Images built by Docker on the user's machine, through `pulumi_docker_build`.

Not tried against a live registry: the plug-in that does this is only published as a download.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_docker_build as docker_build
import pulumi_gcp as gcp


@dataclass(frozen=True, kw_only=True)
class DockerImagesArgs:
    """What is built and where it goes.

    Attributes:
        registry: Host of the registry.
        repository: Address of the repository, as images are named.
        context: Absolute path of the folder with the Dockerfile.
        targets: Stages of the Dockerfile, each an image.
        platform: Platform of the images.
        build_timeout_s: How long a build may take.
    """

    registry: str
    repository: pulumi.Output[str]
    context: str
    targets: Sequence[str]
    platform: str
    build_timeout_s: int


class DockerImages(pulumi.ComponentResource):
    """Images that this machine's Docker builds and pushes.

    The login is a token of this run's Google credentials, handed to the build itself: nobody has to log
    Docker in.
    """

    references: dict[str, pulumi.Output[str]]
    """Image with digest by target, once it is pushed."""

    def __init__(self, name: str, args: DockerImagesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:DockerImages", name, {}, opts)
        token = gcp.organizations.get_client_config_output(opts=pulumi.InvokeOutputOptions(parent=self))
        login = docker_build.RegistryArgs(
            address=args.registry,
            username="oauth2accesstoken",
            password=pulumi.Output.secret(token.access_token),
        )
        self.references = {}
        for target in args.targets:
            image = docker_build.Image(
                f"{name}-{target}",
                push=True,
                build_on_preview=False,
                context={"location": args.context},
                dockerfile={"location": f"{args.context}/Dockerfile"},
                target=target,
                platforms=[docker_build.Platform(args.platform)],
                tags=[
                    args.repository.apply(lambda repository, target=target: f"{repository}/{target}:latest")
                ],
                registries=[login],
                opts=pulumi.ResourceOptions(
                    parent=self, custom_timeouts=pulumi.CustomTimeouts(create=f"{args.build_timeout_s}s")
                ),
            )
            self.references[target] = pulumi.Output.all(args.repository, image.digest).apply(
                lambda values, target=target: f"{values[0]}/{target}@{values[1]}"
            )
        self.register_outputs({"references": self.references})
