"""Where the test cluster keeps its files and which addresses it takes on this machine.

Two directories: `PROGRAMS` is a cache whose name holds the version of everything in it; `STATE` belongs to
the one cluster that a machine can hold. Nodes see the machine's own files at the same paths, apart from
/run and /var, so neither directory may lie there.
"""

import hashlib
import ipaddress
import os
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
GO_SOURCES = HERE / "go"

CACHE = Path(os.environ.get("TFCLUSTER_CACHE", "~/.cache/tfcluster")).expanduser().resolve()


def _version() -> str:
    kubernetes = re.search(r"k8s\.io/kubernetes v(\S+)", (GO_SOURCES / "kubeall/go.mod").read_text())
    assert kubernetes, "kubeall/go.mod names no version of k8s.io/kubernetes"
    digest = hashlib.sha256()
    for path in sorted(GO_SOURCES.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(GO_SOURCES)).encode() + path.read_bytes())
    return f"{kubernetes[1]}-{digest.hexdigest()[:12]}"


VERSION = _version()
"""Version of Kubernetes and a digest of the sources of all programs."""

PROGRAMS = CACHE / f"kubecluster-{VERSION}"
KUBEALL, KUBECTL = PROGRAMS / "kubeall", PROGRAMS / "kubectl"

STATE = CACHE / "kubecluster-state"
LOGS = STATE / "logs"
STORE = STATE / "store"
"""Containerd's data with every image unpacked; nodes start from copies of it. Outlives the cluster."""

LIVE = STATE / "live"
"""Everything that ends with the cluster."""

KEYS, RUN, NODES, VOLUMES = LIVE / "keys", LIVE / "run", LIVE / "nodes", LIVE / "volumes"
KUBECONFIG = LIVE / "kubeconfig"
CONTEXT = "kubecluster"

NODE_NET = ipaddress.ip_network("10.123.0.0/24")
POD_NET = ipaddress.ip_network("10.124.0.0/16")
SERVICE_NET = ipaddress.ip_network("10.125.0.0/16")
HOST_IP, API_SERVICE_IP, DNS_IP = NODE_NET[1], SERVICE_NET[1], SERVICE_NET[10]
API_PORT, ETCD_PORT, ETCD_PEER_PORT = 6443, 12379, 12380
REGISTRY_PORT = 5000
REGISTRY = "registry.kubecluster.test"
"""Name under which nodes reach the tests' registry; see `registry.py`."""

CLUSTER_DOMAIN = "cluster.local"
BRIDGE = "kubecluster0"
CGROUP = "kubecluster"


class ClusterError(Exception):
    """The cluster cannot do what was asked; the message says why and is meant for a person."""
