"""Notebook and TensorBoard in one pod on the `if` node, reached by port-forward only.

The pod also reads the runs' volume for the project's own provider, which copies finished runs from there.
"""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.kubernetes.pod import (
    OWNED,
    RUNS_PATH,
    UNAWAITED,
    Manifest,
    Place,
    container,
    pod_template,
    role_labels,
    runs_mount,
    selector,
)

NOTEBOOK_SHARE_PERCENT = 60
"""Part of the pod's CPU and memory that goes to JupyterLab and its kernels; TensorBoard has the rest."""

_TOKEN_KEY = "token"  # noqa: S105 -- the key's name


@dataclass(frozen=True, kw_only=True)
class InterfaceArgs:
    """What the interface needs.

    Attributes:
        role: Cluster role; Deployment, Service and Secret are named after it.
        namespace: Namespace of the pod.
        image: Reference of the interface's image, by digest.
        place: Node and size of the whole pod.
        claim_name: Claim with the runs.
        notebook_port: Port of JupyterLab.
        tensorboard_port: Port of TensorBoard.
    """

    role: str
    namespace: pulumi.Input[str]
    image: pulumi.Input[str]
    place: Place
    claim_name: pulumi.Input[str]
    notebook_port: int
    tensorboard_port: int


class Interface(pulumi.ComponentResource):
    """JupyterLab behind a random token, and TensorBoard, at a ClusterIP.

    Creates the token, its Secret, a Deployment of one pod and a Service. It opens nothing to the outside.
    """

    workload: str
    """Name of the Deployment, the same as the role."""

    token: pulumi.Output[str]
    """The notebook's token, a secret."""

    def __init__(self, name: str, args: InterfaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Interface", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata: kubernetes.meta.v1.ObjectMetaArgsDict = {
            "name": args.role,
            "namespace": args.namespace,
            "labels": role_labels(args.role),
            "annotations": OWNED,
        }
        self.token = _RandomToken(f"{name}-token", child).value
        secret = kubernetes.core.v1.Secret(
            f"{name}-secret",
            metadata={**metadata, "name": f"{args.role}-token"},
            string_data={_TOKEN_KEY: self.token},
            opts=child,
        )
        kubernetes.core.v1.Service(
            f"{name}-service",
            # Otherwise the Service waits for pods that nobody has made yet.
            metadata={**metadata, "annotations": UNAWAITED},
            spec=service_spec(args),
            opts=child,
        )
        kubernetes.apps.v1.Deployment(
            f"{name}-pod",
            metadata={**metadata, "annotations": UNAWAITED},
            spec=deployment_spec(args, secret.metadata.apply(lambda metadata: str(metadata.name))),
            opts=child,
        )
        self.workload = args.role
        self.register_outputs({"workload": self.workload, "token": self.token})


def service_spec(args: InterfaceArgs) -> Manifest:
    """Spec of the Service, inside the cluster only."""
    ports = {"notebook": args.notebook_port, "tensorboard": args.tensorboard_port}
    return {
        "type": "ClusterIP",
        "selector": selector(args.role),
        "ports": [{"name": port, "port": number, "protocol": "TCP"} for port, number in ports.items()],
    }


def deployment_spec(args: InterfaceArgs, secret_name: pulumi.Input[str]) -> Manifest:
    """Spec of the Deployment."""
    volume, mount = runs_mount(args.claim_name)
    spec = {
        "containers": [_notebook(args, secret_name, mount), _tensorboard(args, mount)],
        "volumes": [volume],
        "terminationGracePeriodSeconds": 10,
    }
    return {
        "replicas": 1,
        # The claim is mounted on one node at a time, so that the old pod has to go first.
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": selector(args.role)},
        "template": pod_template(args.role, args.place, spec),
    }


def _notebook(args: InterfaceArgs, secret_name: pulumi.Input[str], mount: Manifest) -> Manifest:
    token = {"secretKeyRef": {"name": secret_name, "key": _TOKEN_KEY}}
    return container(
        "notebook",
        args.image,
        args.place.cpu_millicores * NOTEBOOK_SHARE_PERCENT // 100,
        args.place.memory_mib * NOTEBOOK_SHARE_PERCENT // 100,
        args=[
            *("jupyter", "lab", "--no-browser", "--ip=0.0.0.0", f"--port={args.notebook_port}"),
            f"--ServerApp.root_dir={RUNS_PATH}",
        ],
        env=[{"name": "JUPYTER_TOKEN", "valueFrom": token}],
        # Answers without a token, and says no more than the version.
        **_web(args.notebook_port, "/api"),
        volumeMounts=[mount],
    )


def _tensorboard(args: InterfaceArgs, mount: Manifest) -> Manifest:
    share_percent = 100 - NOTEBOOK_SHARE_PERCENT
    return container(
        "tensorboard",
        args.image,
        args.place.cpu_millicores * share_percent // 100,
        args.place.memory_mib * share_percent // 100,
        args=["tensorboard", f"--logdir={RUNS_PATH}", "--host=0.0.0.0", f"--port={args.tensorboard_port}"],
        **_web(args.tensorboard_port, "/data/environment"),
        volumeMounts=[{**mount, "readOnly": True}],
    )


def _web(port: int, path: str) -> Manifest:
    """Port and probes of a container that answers HTTP."""
    answers = {"httpGet": {"path": path, "port": port}, "timeoutSeconds": 10}
    return {
        "ports": [{"containerPort": port, "protocol": "TCP"}],
        "startupProbe": {**answers, "periodSeconds": 3, "failureThreshold": 60},
        "readinessProbe": {**answers, "periodSeconds": 10},
        "livenessProbe": {**answers, "periodSeconds": 30, "failureThreshold": 4},
    }


class _RandomToken(pulumi.CustomResource):
    value: pulumi.Output[str]

    def __init__(self, name: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("tfcluster:index:RandomToken", name, {"value": None}, opts)
