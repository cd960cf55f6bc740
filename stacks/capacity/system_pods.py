"""What Kubernetes' own pods ask for on GKE: on every node, and once a cluster.

Requests as seen on GKE 1.35 and 1.36 with what our clusters turn on (Dataplane V2, Workload Identity, system
monitoring, Cloud Logging by setting) and without what they turn off (NodeLocal DNS, managed Prometheus, load
balancing for Ingress, pod autoscaling). Google's automatic sizing moves the numbers, so each counts with a
tenth on top. Memory of `anetd`, `metrics-server` and the small ones is assumed, not seen.
"""

import dataclasses
import functools
import math

GROWTH = 1.1
"""What every request below is multiplied by, since Google changes them while a cluster runs."""


@dataclasses.dataclass(frozen=True)
class SystemPod:
    """One of Kubernetes' own pods: CPU in thousandths of a vCPU, memory in MiB."""

    name: str
    cpu_millicores: int
    memory_mib: int


_NODE_PODS = (
    SystemPod("anetd", 205, 150),
    SystemPod("gke-metadata-server", 100, 100),
    SystemPod("gke-metrics-agent", 21, 145),
    SystemPod("pdcsi-node", 15, 20),
    SystemPod("netd", 8, 65),
)
_LOGGING = SystemPod("fluentbit-gke", 105, 230)
_KUBE_DNS = SystemPod("kube-dns", 260, 110)
_KONNECTIVITY = SystemPod("konnectivity-agent", 15, 60)
_ONCE_A_CLUSTER = (
    SystemPod("metrics-server", 44, 200),
    SystemPod("kube-dns-autoscaler", 20, 20),
    SystemPod("konnectivity-agent-autoscaler", 10, 20),
    SystemPod("event-exporter-gke", 3, 30),
)


@functools.cache
def node_pod(*, has_logging: bool) -> SystemPod:
    """The sum of what runs on every node, growth included."""
    pods = (*_NODE_PODS, _LOGGING) if has_logging else _NODE_PODS
    return _grown("node", sum(pod.cpu_millicores for pod in pods), sum(pod.memory_mib for pod in pods))


@functools.cache
def cluster_pods(nodes: int, vcpus: int) -> tuple[SystemPod, ...]:
    """What runs somewhere on the untainted nodes, the largest first, growth included.

    `kube-dns` has one pod for every 16 nodes or 256 vCPU, and at least two from two nodes on.
    `konnectivity-agent` has at most one a node. Both count for the next multiple of eight nodes, so that one
    more node seldom changes what is left for others; on large clusters one entry stands for several agents.
    """
    counted = nodes if nodes == 1 else 8 * math.ceil(nodes / 8)
    kube_dns = max(math.ceil(counted / 16), math.ceil(vcpus / 256), min(nodes, 2))
    agents_an_entry = math.ceil(counted / 64)
    entries = math.ceil(counted / agents_an_entry)
    agents = SystemPod(
        _KONNECTIVITY.name,
        _KONNECTIVITY.cpu_millicores * agents_an_entry,
        _KONNECTIVITY.memory_mib * agents_an_entry,
    )
    pods = (*(_KUBE_DNS,) * kube_dns, *_ONCE_A_CLUSTER, *(agents,) * entries)
    grown = (_grown(pod.name, pod.cpu_millicores, pod.memory_mib) for pod in pods)
    return tuple(sorted(grown, key=lambda pod: -pod.cpu_millicores))


def _grown(name: str, cpu: int, memory: int) -> SystemPod:
    return SystemPod(name, math.ceil(cpu * GROWTH), math.ceil(memory * GROWTH))
