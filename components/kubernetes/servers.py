"""TensorFlow servers of one role as pods: one StatefulSet and one headless Service, whatever their number.

Whether they get ready, and what is wrong if not, is found out for all roles at once by `readiness.py`.
"""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.kubernetes.pod import (
    OWNED,
    UNAWAITED,
    Manifest,
    Place,
    container,
    pod_template,
    role_labels,
    selector,
)


@dataclass(frozen=True, kw_only=True)
class ServersArgs:
    """What the servers of one role need.

    Attributes:
        role: Cluster role; the StatefulSet, the Service and so the pods are named after it.
        count: Number of servers; a change starts or stops only the difference.
        namespace: Namespace of the pods.
        image: Reference of the server's image, by digest.
        place: Nodes and size of each pod.
        grpc_port: Port that each server listens on.
    """

    role: str
    count: int
    namespace: pulumi.Input[str]
    image: pulumi.Input[str]
    place: Place
    grpc_port: int


class Servers(pulumi.ComponentResource):
    """The TensorFlow servers of one role, each reached at ``<role>-<n>.<role>.<namespace>.svc``.

    Creates a headless Service, a StatefulSet and a disruption budget. Readiness means that the port is open:
    a server knows nothing of its peers.
    """

    workload: str
    """Name of the StatefulSet, the same as the role."""

    def __init__(self, name: str, args: ServersArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Servers", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata: kubernetes.meta.v1.ObjectMetaArgsDict = {
            "name": args.role,
            "namespace": args.namespace,
            "labels": role_labels(args.role),
            "annotations": OWNED,
        }
        kubernetes.core.v1.Service(f"{name}-service", metadata=metadata, spec=service_spec(args), opts=child)
        kubernetes.apps.v1.StatefulSet(
            f"{name}-servers",
            metadata={**metadata, "annotations": UNAWAITED},
            spec=stateful_set_spec(args),
            opts=child,
        )
        kubernetes.policy.v1.PodDisruptionBudget(
            f"{name}-disruption",
            metadata=metadata,
            # One at a time: a drain goes on, and a run loses one server, not all.
            spec={"max_unavailable": 1, "selector": {"match_labels": selector(args.role)}},
            opts=child,
        )
        self.workload = args.role
        self.register_outputs({"workload": self.workload})


def service_spec(args: ServersArgs) -> Manifest:
    """Spec of a Service that only gives names to the pods, before they are ready."""
    return {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": selector(args.role),
        "ports": [{"name": "grpc", "port": args.grpc_port, "protocol": "TCP"}],
    }


def stateful_set_spec(args: ServersArgs) -> Manifest:
    """Spec of the StatefulSet."""
    port_is_open = {"tcpSocket": {"port": args.grpc_port}}
    server = container(
        "server",
        args.image,
        args.place.cpu_millicores,
        args.place.memory_mib,
        args=["python", "-m", "training", "server", "--port", str(args.grpc_port), "--bind", "0.0.0.0"],  # noqa: S104 -- the pod's own address
        ports=[{"name": "grpc", "containerPort": args.grpc_port, "protocol": "TCP"}],
        startupProbe={**port_is_open, "periodSeconds": 2, "failureThreshold": 60},
        readinessProbe={**port_is_open, "periodSeconds": 5},
        livenessProbe={**port_is_open, "periodSeconds": 20, "failureThreshold": 6, "timeoutSeconds": 10},
    )
    spread = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": selector(args.role)},
    }
    # A server has nothing to save: it ends at once when asked to, and is killed soon if it does not.
    spec = {"containers": [server], "topologySpreadConstraints": [spread], "terminationGracePeriodSeconds": 5}
    return {
        "replicas": args.count,
        "serviceName": args.role,
        "podManagementPolicy": "Parallel",
        "selector": {"matchLabels": selector(args.role)},
        "template": pod_template(args.role, args.place, spec),
    }
