"""The cluster that a stack deploys to: the provider of all its objects, and a memory of which cluster it is.

It does not make a cluster.
"""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """How the cluster is reached.

    Attributes:
        kubeconfig: A kubeconfig's text with the one context that is used; a secret. Never the ambient file.
        wait_timeout_s: How long an API server that does not answer is waited for.
        identifier: What the cluster is known by while its kubeconfig is not known yet, as in the preview of a
            change to the cluster itself; the kubeconfig alone would show every object as replaced.
        is_adopting: Whether objects that are there already are taken over, such as a kept volume.
    """

    kubeconfig: pulumi.Input[str]
    wait_timeout_s: int
    is_adopting: bool
    identifier: pulumi.Input[str] | None = None


class Cluster(pulumi.ComponentResource):
    """A Kubernetes cluster as the place of a stack.

    Creates an explicit provider and a record of the cluster's identity: a kubeconfig that suddenly leads to
    another cluster is refused in the preview, before anything is changed.
    """

    provider: kubernetes.Provider
    """Provider for every object of the stack."""

    kubeconfig: pulumi.Output[str]
    """The kubeconfig, a secret, for resources that depend on an object of the provider."""

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Cluster", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        kubeconfig = pulumi.Output.secret(args.kubeconfig)
        identity = _ClusterIdentity(
            f"{name}-identity", {"kubeconfig": kubeconfig, "waitTimeoutS": args.wait_timeout_s}, child
        )
        self.provider = kubernetes.Provider(
            f"{name}-provider",
            kubeconfig=kubeconfig,
            cluster_identifier=args.identifier,
            upsert_existing_objects=args.is_adopting,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[identity]),
        )
        self.kubeconfig = kubeconfig
        self.register_outputs({"server": identity.server})


class _ClusterIdentity(pulumi.CustomResource):
    server: pulumi.Output[str]

    def __init__(
        self, name: str, inputs: dict[str, pulumi.Input[object]], opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__(
            "tfcluster:index:ClusterIdentity", name, {**inputs, "uid": None, "server": None}, opts
        )
