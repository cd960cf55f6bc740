"""What a stack runs in a Kubernetes cluster, the same on every one: servers, interface, storage and a run.

Which cluster, which nodes and how much of them is decided by whoever calls (`stacks.kubernetes`,
`stacks.gke`).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pulumi

from components.kubernetes.cluster import Cluster, ClusterArgs
from components.kubernetes.interface import Interface, InterfaceArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.pod import Place
from components.kubernetes.readiness import Readiness, ReadinessArgs
from components.kubernetes.servers import Servers, ServersArgs
from components.kubernetes.storage import OwnClass, Storage, StorageArgs
from components.kubernetes.training_run import TrainingRun, TrainingRunArgs
from stacks.run import run_outputs, run_settings
from stacks.settings import Settings
from stacks.topology import GRPC_PORT, NOTEBOOK_PORT, SERVER_ROLES, TENSORBOARD_PORT, Role, server_count

PROJECT = Path(__file__).resolve().parent.parent

PodKind = Literal["interface", "training", "master", "worker"]

_ROLE_OF_SERVER: Mapping[Role, PodKind] = {Role.MASTER: "master", Role.WORKER: "worker"}


@dataclass(frozen=True, kw_only=True)
class WorkloadArgs:
    """What differs from cluster to cluster.

    Attributes:
        kubeconfig: Text of a kubeconfig with one context.
        namespace: Namespace that the stack makes.
        places: Nodes and size of each kind of pod.
        server_image: Image of servers and training Job, by digest.
        interface_image: Image of notebook and TensorBoard, by digest.
        kubectl: The command that reaches the cluster, for people to copy.
        cluster_identifier: What the cluster is known by while its kubeconfig is not known yet; None where it
        is.
        storage_class: Class of the volume with the runs: a name, empty for the cluster's default, or one of
        the
            stack's own.
        runs_disk_gb: Size of that volume in GiB.
        is_volume_kept: Whether namespace and volume outlive the stack.
        is_cluster_owned: Whether the cluster goes with the stack, so that nothing in it may hold it up.
        setting_names: Settings for messages to name, by role and matter.
    """

    kubeconfig: pulumi.Input[str]
    namespace: str
    places: Mapping[PodKind, Place]
    server_image: pulumi.Input[str]
    interface_image: pulumi.Input[str]
    storage_class: str | OwnClass
    runs_disk_gb: int
    is_volume_kept: bool
    is_cluster_owned: bool
    setting_names: Mapping[str, Mapping[str, str]]
    kubectl: str = "kubectl"
    cluster_identifier: pulumi.Input[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What was declared.

    Attributes:
        outputs: The stack's outputs by name.
        last: What comes last, and so goes first when the stack is destroyed.
    """

    outputs: dict[str, pulumi.Input[Any]]
    last: pulumi.Resource


def declare_workload(
    settings: Settings, args: WorkloadArgs, opts: pulumi.ResourceOptions | None = None
) -> Workload:
    """Declare everything that runs in the cluster.

    Args:
        settings: The stack's settings.
        args: What differs from cluster to cluster.
        opts: `depends_on` names what must be there first and go last, such as the nodes.
    """
    cluster = Cluster(
        "cluster",
        ClusterArgs(
            kubeconfig=args.kubeconfig,
            wait_timeout_s=settings.training.cluster_wait_seconds,
            is_adopting=args.is_volume_kept,
            identifier=args.cluster_identifier,
        ),
        opts,
    )
    inside = pulumi.ResourceOptions(provider=cluster.provider)
    namespace = Namespace("namespace", _namespace_args(settings, args, cluster), inside)
    storage = Storage(
        "runs",
        StorageArgs(
            namespace=namespace.name,
            size_gb=args.runs_disk_gb,
            storage_class=args.storage_class,
            is_kept=args.is_volume_kept,
        ),
        inside,
    )
    servers = {
        role: Servers(str(role), _servers_args(settings, args, role, namespace), inside)
        for role in SERVER_ROLES
    }
    interface = Interface(
        "interface",
        InterfaceArgs(
            role=Role.INTERFACE,
            namespace=namespace.name,
            image=args.interface_image,
            place=args.places["interface"],
            claim_name=storage.claim_name,
            notebook_port=NOTEBOOK_PORT,
            tensorboard_port=TENSORBOARD_PORT,
        ),
        inside,
    )
    ready = Readiness(
        "readiness",
        _readiness_args(settings, args, cluster),
        pulumi.ResourceOptions(depends_on=[*servers.values(), interface]),
    )
    run = TrainingRun(
        "training",
        _run_args(settings, args, cluster, storage),
        pulumi.ResourceOptions(depends_on=[ready]),
    )
    outputs = run_outputs(run.results) | {
        "notebookToken": pulumi.Output.secret(interface.token),
        "openNotebook": _port_forward(args, NOTEBOOK_PORT),
        "openTensorboard": _port_forward(args, TENSORBOARD_PORT),
    }
    return Workload(outputs=outputs, last=run)


def _namespace_args(settings: Settings, args: WorkloadArgs, cluster: Cluster) -> NamespaceArgs:
    workers = [args.places["worker"]] * settings.servers_offered
    return NamespaceArgs(
        namespace=args.namespace,
        kubeconfig=cluster.kubeconfig,
        pods=[args.places["interface"], args.places["training"], args.places["master"], *workers],
        interface_role=Role.INTERFACE,
        grpc_port=GRPC_PORT,
        interface_ports=[NOTEBOOK_PORT, TENSORBOARD_PORT],
        delete_timeout_s=settings.training.cluster_wait_seconds,
        is_kept=args.is_volume_kept,
        is_cluster_owned=args.is_cluster_owned,
    )


def _servers_args(settings: Settings, args: WorkloadArgs, role: Role, namespace: Namespace) -> ServersArgs:
    return ServersArgs(
        role=role,
        count=server_count(role, settings.servers_offered),
        namespace=namespace.name,
        image=args.server_image,
        place=args.places[_ROLE_OF_SERVER[role]],
        grpc_port=GRPC_PORT,
    )


def _readiness_args(settings: Settings, args: WorkloadArgs, cluster: Cluster) -> ReadinessArgs:
    places = repr(sorted(args.places.items()))
    images = pulumi.Output.all(args.server_image, args.interface_image)
    return ReadinessArgs(
        kubeconfig=cluster.kubeconfig,
        namespace=args.namespace,
        stateful_sets={str(role): server_count(role, settings.servers_offered) for role in SERVER_ROLES},
        deployments={str(Role.INTERFACE): 1},
        revision=images.apply(lambda names: hashlib.sha256(f"{places}{names}".encode()).hexdigest()),
        setting_names=args.setting_names,
        timeout_s=settings.training.cluster_wait_seconds,
    )


def _run_args(settings: Settings, args: WorkloadArgs, cluster: Cluster, storage: Storage) -> TrainingRunArgs:
    return TrainingRunArgs(
        kubeconfig=cluster.kubeconfig,
        namespace=args.namespace,
        kubectl=args.kubectl,
        image=args.server_image,
        place=args.places["training"],
        interface_role=Role.INTERFACE,
        claim_name=storage.claim_name,
        server_addresses={str(role): f"{role}.{args.namespace}.svc:{GRPC_PORT}" for role in SERVER_ROLES},
        grpc_port=GRPC_PORT,
        settings=run_settings(settings, data_file=""),
        run_id=settings.run_id,
        runs_dir=str(PROJECT / settings.runs_dir),
        setting_names=args.setting_names,
        wait=settings.wait_for_training,
    )


def _port_forward(args: WorkloadArgs, port: int) -> str:
    return f"{args.kubectl} port-forward --namespace {args.namespace} service/{Role.INTERFACE} {port}:{port}"
