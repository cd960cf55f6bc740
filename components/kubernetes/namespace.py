"""The namespace of a stack: its security level, its quota, and the rules of who talks to whom.

The workload is declared by other components. What keeps a namespace from going away is found out by the
project's own provider (`provider.kubernetes.namespace_cleanup`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.kubernetes.network_policy import policies
from components.kubernetes.pod import OWNED, PART_OF, Place

SECURITY_LEVEL = "restricted"
"""https://kubernetes.io/docs/concepts/security/pod-security-standards/"""


@dataclass(frozen=True, kw_only=True)
class NamespaceArgs:
    """What the namespace holds and admits.

    Attributes:
        namespace: Its name.
        kubeconfig: Text of the kubeconfig, for what the project's own provider does in it.
        pods: Place of every pod that will run at once; the quota follows from them.
        interface_role: Role of the interface's pod.
        grpc_port: Port of the servers and of the coordinator.
        interface_ports: Ports of notebook and TensorBoard.
        delete_timeout_s: How long its contents may take to go away before they are listed.
        is_kept: Whether the namespace stays when the stack is destroyed.
        is_cluster_owned: Whether the cluster goes with the stack, and so the namespace in any case.
    """

    namespace: str
    kubeconfig: pulumi.Input[str]
    pods: Sequence[Place]
    interface_role: str
    grpc_port: int
    interface_ports: Sequence[int]
    delete_timeout_s: int
    is_kept: bool
    is_cluster_owned: bool


def quota(pods: Sequence[Place]) -> dict[str, str]:
    """Limits of all pods together: those that run, and as much again for pods that replace others.

    While a server is replaced, old and new pod count for a moment; the quota is there against accidents, not
    to plan by.
    """
    cpu_millicores = sum(pod.cpu_millicores for pod in pods)
    memory_mib = sum(pod.memory_mib for pod in pods)
    return {
        "requests.cpu": f"{2 * cpu_millicores}m",
        "requests.memory": f"{2 * memory_mib}Mi",
        "limits.cpu": f"{2 * cpu_millicores}m",
        "limits.memory": f"{2 * memory_mib}Mi",
        "pods": str(2 * len(pods)),
        "services.loadbalancers": "0",
        "services.nodeports": "0",
    }


class Namespace(pulumi.ComponentResource):
    """A namespace of the *restricted* pod security level.

    Creates the namespace, its quota, its NetworkPolicies and a resource of the project's own whose removal
    waits until the namespace is gone, or its pods where it is kept, and lists what holds it.
    """

    name: pulumi.Output[str]
    """Its name, known once everything that belongs to it is in force."""

    def __init__(self, name: str, args: NamespaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Namespace", name, {}, opts)
        levels = {
            f"pod-security.kubernetes.io/{mode}": SECURITY_LEVEL for mode in ("enforce", "warn", "audit")
        }
        namespace = kubernetes.core.v1.Namespace(
            f"{name}-object",
            metadata={"name": args.namespace, "labels": {**PART_OF, **levels}, "annotations": OWNED},
            # The cleanup has deleted it before; a stuck one must not hold up a cluster that goes with it.
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=args.is_kept or args.is_cluster_owned),
        )
        # There in any case: a resource that is dropped is deleted, and with this one the namespace.
        cleanup = _NamespaceCleanup(
            f"{name}-cleanup",
            {
                "kubeconfig": pulumi.Output.secret(args.kubeconfig),
                "namespace": args.namespace,
                "timeoutS": args.delete_timeout_s,
                "isClusterOwned": args.is_cluster_owned,
                "isKept": args.is_kept,
            },
            pulumi.ResourceOptions(parent=self, depends_on=[namespace]),
        )
        inside = pulumi.ResourceOptions(parent=self, depends_on=[cleanup])
        metadata: kubernetes.meta.v1.ObjectMetaArgsDict = {
            "namespace": args.namespace,
            "labels": PART_OF,
            "annotations": OWNED,
        }
        limits = kubernetes.core.v1.ResourceQuota(
            f"{name}-quota",
            metadata={**metadata, "name": "stack"},
            spec={"hard": quota(args.pods)},
            opts=inside,
        )
        rules = policies(args.interface_role, args.grpc_port, args.interface_ports)
        declared = [
            kubernetes.networking.v1.NetworkPolicy(
                f"{name}-{policy}", metadata={**metadata, "name": policy}, spec=spec, opts=inside
            )
            for policy, spec in rules.items()
        ]
        self.name = pulumi.Output.all(limits.id, *(policy.id for policy in declared)).apply(
            lambda _: args.namespace
        )
        self.register_outputs({"name": self.name})


class _NamespaceCleanup(pulumi.CustomResource):
    def __init__(
        self, name: str, inputs: dict[str, pulumi.Input[object]], opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("tfcluster:index:NamespaceCleanup", name, {**inputs}, opts)
