"""Who may talk to whom in a stack's namespace. Pure: `Namespace` declares what stands here.

A TensorFlow server runs whatever it is sent, so that only the stack's own pods may reach one; and pods reach
nothing but each other and the cluster's DNS. Port-forwards and probes come from the node and are not judged.
"""

from collections.abc import Sequence
from typing import Any

from components.kubernetes.pod import PART_OF, Manifest, selector

_OWN_PODS: Manifest = {"podSelector": {"matchLabels": PART_OF}}
_ANY_POD_OF_NAMESPACE: Manifest = {"podSelector": {}}

_DNS_PORTS = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
_DNS: Manifest = {
    "to": [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        },
        # GKE's caches and Cloud DNS answer on link-local addresses.
        {"ipBlock": {"cidr": "169.254.0.0/16"}},
    ],
    "ports": _DNS_PORTS,
}


def policies(interface_role: str, grpc_port: int, interface_ports: Sequence[int]) -> dict[str, Manifest]:
    """The spec of every policy by name: nothing is allowed, then what the stack needs."""
    everything: Manifest = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    return {
        "nothing": everything,
        "own-traffic": {
            "podSelector": {"matchLabels": PART_OF},
            "policyTypes": ["Egress"],
            "egress": [{"to": [_OWN_PODS]}, _DNS],
        },
        # Servers dial the coordinator too, and each other.
        "grpc": _ingress({"matchLabels": PART_OF}, _OWN_PODS, [grpc_port]),
        "interface": _ingress(
            {"matchLabels": selector(interface_role)}, _ANY_POD_OF_NAMESPACE, interface_ports
        ),
    }


def _ingress(pods: Manifest, source: Manifest, ports: Sequence[int]) -> Manifest:
    allowed: list[dict[str, Any]] = [{"port": port, "protocol": "TCP"} for port in ports]
    return {
        "podSelector": pods,
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [source], "ports": allowed}],
    }
