"""One training run in the cluster: a Job on the `if` node, beside the interface's pod.

The Job is made, followed and removed by the project's own provider (`provider.kubernetes.kubernetes_run`);
its manifest is composed here. What it computes is the business of the training program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from components.kubernetes.pod import (
    DATA_PATH,
    RUNS_PATH,
    Manifest,
    Place,
    container,
    pod_template,
    runs_mount,
    selector,
)
from components.run_outputs import RUN_OUTPUTS

ROLE = "training"
"""Value of the role label of the Job's pod; no node is labelled with it."""

RUN_ANNOTATION = "tfcluster/run"
"""Carries the name of the run's folder; the provider sets it for each attempt."""

SETTINGS_ANNOTATION = "tfcluster/settings"
"""Carries the run's settings as JSON; the provider sets it, the program reads it as a file."""

_SETTINGS_FOLDER = "/etc/tfcluster"
_DEADLINE_MARGIN_S = 60
"""How much later Kubernetes ends the Job than the program itself, which can say why."""


@dataclass(frozen=True, kw_only=True)
class TrainingRunArgs:
    """What one run needs.

    Attributes:
        kubeconfig: Text of the kubeconfig; a secret.
        namespace: Namespace of the Job.
        kubectl: The command that reaches the cluster, for people to copy.
        image: Reference of the server's image, by digest; a change is a new run.
        place: Node and size of the Job's pod.
        interface_role: Role of the pod that shares node and volume with the Job's.
        claim_name: Claim with the runs.
        server_addresses: Host and port, by role, that the coordinator looks for the servers at.
        grpc_port: Port of the coordinator's own gRPC server, which the servers dial.
        settings: Settings of the training program by their names there; a change is a new run.
        run_id: Any word; a change is a new run.
        runs_dir: Absolute folder of the run history on this machine.
        setting_names: Settings for messages to name, by role and matter.
        wait: Whether `pulumi up` waits for the result.
    """

    kubeconfig: pulumi.Input[str]
    namespace: str
    kubectl: str
    image: pulumi.Input[str]
    place: Place
    interface_role: str
    claim_name: pulumi.Input[str]
    server_addresses: Mapping[str, str]
    grpc_port: int
    settings: Mapping[str, Any]
    run_id: str
    runs_dir: str
    setting_names: Mapping[str, Mapping[str, str]]
    wait: bool


class TrainingRun(pulumi.ComponentResource):
    """One training from start to result record; what succeeded is not repeated while nothing changes."""

    results: dict[str, pulumi.Output[Any]]
    """What the run returned, by output name; None while the run is still going on."""

    def __init__(self, name: str, args: TrainingRunArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:TrainingRun", name, {}, opts)
        run = _KubernetesRun(
            f"{name}-run",
            {
                "kubeconfig": pulumi.Output.secret(args.kubeconfig),
                "namespace": args.namespace,
                "kubectl": args.kubectl,
                "job": job_spec(args),
                "settings": run_settings(args),
                "interfaceRole": args.interface_role,
                "runId": args.run_id,
                "runsDir": args.runs_dir,
                "settingNames": {role: dict(names) for role, names in args.setting_names.items()},
                "wait": args.wait,
            },
            pulumi.ResourceOptions(parent=self),
        )
        self.results = {output: getattr(run, output) for output in RUN_OUTPUTS}
        self.register_outputs(self.results)


def run_settings(args: TrainingRunArgs) -> Manifest:
    """The run's settings, completed by where a pod finds servers and data."""
    members = ",".join(f"{role}={address}" for role, address in args.server_addresses.items())
    return {
        **args.settings,
        "members": f"dns:{members}",
        "data_dir": DATA_PATH,
        "coordinator_port": args.grpc_port,
    }


def job_spec(args: TrainingRunArgs) -> Manifest:
    """Spec of the Job: one pod, one try, a deadline of its own, and never removed by itself."""
    volume, mount = runs_mount(args.claim_name)
    settings = _annotation_file("settings.json", SETTINGS_ANNOTATION)
    coordinator = container(
        "coordinator",
        args.image,
        args.place.cpu_millicores,
        args.place.memory_mib,
        args=[
            *("python", "-m", "training", "coordinate", "--run-dir", f"{RUNS_PATH}/$(RUN)"),
            *("--settings", f"{_SETTINGS_FOLDER}/settings.json", "--record", "/dev/termination-log"),
        ],
        env=[
            {
                "name": "RUN",
                "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{RUN_ANNOTATION}']"}},
            }
        ],
        volumeMounts=[mount, {"name": "settings", "mountPath": _SETTINGS_FOLDER}],
    )
    spec = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 30,
        # The volume is mounted on one node at a time: the interface's.
        "affinity": {
            "podAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "topologyKey": "kubernetes.io/hostname",
                        "labelSelector": {"matchLabels": selector(args.interface_role)},
                    }
                ]
            }
        },
        "containers": [coordinator],
        "volumes": [volume, {"name": "settings", "downwardAPI": {"items": [settings]}}],
    }
    return {
        "backoffLimit": 0,
        "activeDeadlineSeconds": int(args.settings["train_timeout_s"]) + _DEADLINE_MARGIN_S,
        # A drained or lost node is no fault of the run: another pod goes on from the last checkpoint.
        "podFailurePolicy": {
            "rules": [
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
            ]
        },
        "template": pod_template(ROLE, args.place, spec),
    }


def _annotation_file(path: str, annotation: str) -> Manifest:
    return {"path": path, "fieldRef": {"fieldPath": f"metadata.annotations['{annotation}']"}}


class _KubernetesRun(pulumi.CustomResource):
    def __init__(
        self, name: str, inputs: dict[str, pulumi.Input[object]], opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__(
            "tfcluster:index:KubernetesRun", name, {**inputs, **dict.fromkeys(RUN_OUTPUTS)}, opts
        )
