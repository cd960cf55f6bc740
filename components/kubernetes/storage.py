"""The volume that keeps the runs: one claim, for the interface's pod and the training Job on one node."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.kubernetes.pod import OWNED, PART_OF, UNAWAITED


@dataclass(frozen=True, kw_only=True)
class OwnClass:
    """A class of volumes that the stack brings along.

    Attributes:
        name: Its name in the cluster.
        provisioner: Who makes its volumes.
        parameters: What the provisioner is told.
    """

    name: str
    provisioner: str
    parameters: Mapping[str, pulumi.Input[str]]


@dataclass(frozen=True, kw_only=True)
class StorageArgs:
    """What the claim asks for.

    Attributes:
        namespace: Namespace of the claim.
        size_gb: Size in GiB.
        storage_class: Class of the volume: one that is there, by name (empty takes the cluster's default), or
            one of the stack's own.
        is_kept: Whether claim and volume stay when the stack is destroyed.
    """

    namespace: pulumi.Input[str]
    size_gb: int
    storage_class: str | OwnClass
    is_kept: bool


class Storage(pulumi.ComponentResource):
    """A claim for a volume that one node mounts at a time. The cluster makes the volume.

    Creates the claim and, where it is the stack's own, its class.
    """

    claim_name: pulumi.Output[str]
    """Name of the claim."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Storage", name, {}, opts)
        spec: kubernetes.core.v1.PersistentVolumeClaimSpecArgsDict = {
            "access_modes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": f"{args.size_gb}Gi"}},
        }
        if isinstance(args.storage_class, OwnClass):
            spec["storage_class_name"] = self._declare_class(name, args.storage_class)
        elif args.storage_class:
            spec["storage_class_name"] = args.storage_class
        claim = kubernetes.core.v1.PersistentVolumeClaim(
            f"{name}-claim",
            metadata={
                "name": name,
                "namespace": args.namespace,
                "labels": PART_OF,
                # Bound when the interface's pod is placed; whether it can be is diagnosed there.
                "annotations": UNAWAITED,
            },
            spec=spec,
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=args.is_kept),
        )
        self.claim_name = claim.metadata.apply(lambda metadata: str(metadata.name))
        self.register_outputs({"claimName": self.claim_name})

    def _declare_class(self, name: str, own: OwnClass) -> pulumi.Output[str]:
        storage_class = kubernetes.storage.v1.StorageClass(
            f"{name}-class",
            metadata={"name": own.name, "labels": PART_OF, "annotations": OWNED},
            provisioner=own.provisioner,
            parameters=dict(own.parameters),
            # The volume belongs where the first pod that wants it is placed.
            volume_binding_mode="WaitForFirstConsumer",
            reclaim_policy="Delete",
            opts=pulumi.ResourceOptions(parent=self),
        )
        return storage_class.metadata.apply(lambda metadata: str(metadata.name))
