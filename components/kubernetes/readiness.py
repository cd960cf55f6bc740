"""The moment when all workloads of a stack are ready, or the sentence that says why they are not.

The waiting and the diagnosis are the project's own provider's (`provider.kubernetes.workloads_ready`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi


@dataclass(frozen=True, kw_only=True)
class ReadinessArgs:
    """What is waited for.

    Attributes:
        kubeconfig: Text of the kubeconfig; a secret.
        namespace: Namespace of the workloads.
        stateful_sets: Number of pods by StatefulSet.
        deployments: Number of pods by Deployment.
        revision: Anything that changes when pods are made anew; they are waited for again then.
        setting_names: Settings for messages to name, by role and matter.
        timeout_s: Deadline; a plain fault is reported long before.
    """

    kubeconfig: pulumi.Input[str]
    namespace: pulumi.Input[str]
    stateful_sets: Mapping[str, int]
    deployments: Mapping[str, int]
    revision: pulumi.Input[str]
    setting_names: Mapping[str, Mapping[str, str]]
    timeout_s: int


class Readiness(pulumi.ComponentResource):
    """Ends once every pod of the workloads is ready. Creates no Kubernetes object.

    A component of its own, so that `up` shows the waiting on one row and whatever needs the pods depends on
    it.
    """

    def __init__(self, name: str, args: ReadinessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Readiness", name, {}, opts)
        _WorkloadsReady(
            f"{name}-pods",
            {
                "kubeconfig": pulumi.Output.secret(args.kubeconfig),
                "namespace": args.namespace,
                "statefulSets": dict(args.stateful_sets),
                "deployments": dict(args.deployments),
                "revision": args.revision,
                "settingNames": {role: dict(names) for role, names in args.setting_names.items()},
                "timeoutS": args.timeout_s,
            },
            pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


class _WorkloadsReady(pulumi.CustomResource):
    def __init__(
        self, name: str, inputs: dict[str, pulumi.Input[object]], opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("tfcluster:index:WorkloadsReady", name, {**inputs}, opts)
