"""Writes the configuration of one node's programs: containerd, the pod network, kubelet and kube-proxy."""

import json
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.kubecluster.credentials import certificate, kubeconfig
from tests.kubecluster.nodes import Node
from tests.kubecluster.places import (
    CGROUP,
    CLUSTER_DOMAIN,
    DNS_IP,
    HERE,
    HOST_IP,
    KEYS,
    LOGS,
    NODE_NET,
    NODES,
    POD_NET,
    PROGRAMS,
    REGISTRY,
    REGISTRY_PORT,
)

PAUSE_IMAGE = "kubecluster.test/pause:1"


def write_node(node: Node, nodes: Sequence[Node]) -> None:
    """Write everything that `node-init.sh` and the programs it starts read."""
    folder = NODES / node.name
    (folder / "cni").mkdir(parents=True, exist_ok=True)
    user = f"kubelet-{node.name}"
    names = [f"DNS:{node.name}", f"IP:{node.ip}"]
    certificate(user, f"system:node:{node.name}", "system:nodes", names)
    kubeconfig(user)
    (folder / "node.env").write_text(_environment(node, nodes))
    (folder / "resolv.conf").write_text("")  # no name outside the cluster resolves
    template = string.Template((HERE / "containerd.toml").read_text())
    (folder / "containerd.toml").write_text(
        template.substitute(PAUSE_IMAGE=PAUSE_IMAGE, CNI=folder / "cni", REGISTRIES=folder / "registries")
    )
    registry = folder / "registries" / REGISTRY / "hosts.toml"
    registry.parent.mkdir(parents=True, exist_ok=True)
    # containerd 1.6 passes over a file that has no table of hosts.
    address = f"http://{HOST_IP}:{REGISTRY_PORT}"
    registry.write_text(f'server = "{address}"\n[host."{address}"]\ncapabilities = ["pull", "resolve"]\n')
    (folder / "cni/10-pods.conflist").write_text(json.dumps(_pod_network(node)))
    (folder / "kubelet.yaml").write_text(json.dumps(_kubelet(node, folder)))
    (folder / "kube-proxy.yaml").write_text(json.dumps(_kube_proxy(node)))


def _environment(node: Node, nodes: Sequence[Node]) -> str:
    routes = " ".join(f"{other.pods},{other.ip}" for other in nodes if other != node)
    labels = ",".join(f"{key}={value}" for key, value in node.labels.items())
    return (
        f"PROGRAMS={PROGRAMS}\nLOGS={LOGS}\nKEYS={KEYS}\n"
        f"ADDRESS={node.ip}\nPREFIX_LENGTH={NODE_NET.prefixlen}\nROUTES='{routes}'\nLABELS='{labels}'\n"
    )


def _pod_network(node: Node) -> dict[str, Any]:
    # Every pod has a cable of its own to the node, so that all its traffic is routed: through a bridge,
    # traffic between two pods of a node would pass by the rules for Services and NetworkPolicies.
    cable = {
        "type": "ptp",
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": str(node.pods)}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        },
    }
    host_ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [cable, host_ports]}


def _kubelet(node: Node, folder: Path) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(KEYS / "ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": str(KEYS / f"kubelet-{node.name}.crt"),
        "tlsPrivateKeyFile": str(KEYS / f"kubelet-{node.name}.key"),
        "clusterDNS": [str(DNS_IP)],
        "clusterDomain": CLUSTER_DOMAIN,
        "resolvConf": str(folder / "resolv.conf"),
        # The machine has cgroup v1, and no right to lower OOM scores or to raise limits.
        "failCgroupV1": False,
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{CGROUP}/{node.name}",
        "featureGates": {"KubeletInUserNamespace": True},
        "failSwapOn": False,
        # The disk is shared with the rest of the machine, and a deleted image would not come back:
        # neither pods nor images are evicted for want of disk space.
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "0%",
            "imagefs.available": "0%",
            "nodefs.inodesFree": "0%",
        },
        "imageGCHighThresholdPercent": 100,
        "systemReserved": node.withheld,
        "maxPods": node.pods_max,
        "registerWithTaints": [dict(taint) for taint in node.taints],
        "serializeImagePulls": False,
        # A node that stops is noticed sooner than in a real cluster, where tests would wait 40 s.
        "nodeStatusUpdateFrequency": "4s",
        "shutdownGracePeriod": "0s",
    }


def _kube_proxy(node: Node) -> dict[str, Any]:
    untouched = {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"}
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "clientConnection": {"kubeconfig": str(KEYS / "proxy.kubeconfig")},
        "hostnameOverride": node.name,
        "clusterCIDR": str(POD_NET),
        "conntrack": untouched,
    }
