"""Brings the cluster up and takes it down, whole or in parts. Both may be repeated."""

import contextlib
import fcntl
import shutil
import string
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil

from tests.kubecluster import machine
from tests.kubecluster.control_plane import start_control_plane
from tests.kubecluster.credentials import make_credentials
from tests.kubecluster.image_store import Image, copy_store, fill_store, program_image
from tests.kubecluster.node_files import write_node
from tests.kubecluster.nodes import Node, three_alike
from tests.kubecluster.places import (
    BRIDGE,
    CLUSTER_DOMAIN,
    DNS_IP,
    HERE,
    KEYS,
    LIVE,
    LOGS,
    NODES,
    RUN,
    STATE,
    VOLUMES,
    ClusterError,
)
from tests.kubecluster.processes import (
    EndedError,
    kubectl,
    run,
    running,
    start,
    started_names,
    stop,
    wait_for,
)
from tests.kubecluster.programs import build, check_machine


def up(nodes: Sequence[Node] | None = None, images: Sequence[Image] = ()) -> None:
    """Start whatever does not run and wait until nodes and DNS are ready.

    Args:
        nodes: The wanted nodes; changes of a cluster that runs are not noticed.
        images: Images that pods will name; given to a node when it starts.

    Raises:
        ClusterError: The machine lacks something, or a part did not get ready.
    """
    nodes = nodes or three_alike()
    check_machine()
    build()
    with _alone():
        for folder in (KEYS, RUN, NODES, VOLUMES, LOGS):
            folder.mkdir(parents=True, exist_ok=True)
        KEYS.chmod(0o700)
        make_credentials()
        machine.make_bridge(nodes)
        with ThreadPoolExecutor() as pool:
            control_plane = pool.submit(start_control_plane)
            fill_store([program_image("pause"), program_image("coredns"), *images])
            for node in nodes:
                write_node(node, nodes)
                start_node(node)
            control_plane.result()
        _apply_addons()
        for node in nodes:
            wait_for(f"{node.name} to be Ready", lambda n=node.name: is_ready(n), 90, f"{node.name}-kubelet")
        kubectl("-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=90s")


def down() -> None:
    """End every process of the cluster and remove what it left on the machine; images and logs stay."""
    with _alone():
        # A node's programs and containers end with the unshare around them.
        stop(*started_names())
        if machine.bridge_owner() in (None, str(STATE)):
            machine.remove_network()
            machine.remove_cgroups()
        shutil.rmtree(LIVE, ignore_errors=True)


def start_node(node: Node) -> None:
    """Start a node, also one that was killed; its containers start anew."""
    process = f"node-{node.name}"
    if running(process):
        return
    machine.make_cgroups(node)
    copy_store(NODES / node.name / "var/lib/containerd")
    start(
        *(process, "unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--kill-child"),
        *("--mount-proc", "bash", HERE / "node-init.sh", NODES / node.name),
    )
    init = wait_for(f"{node.name} to start", lambda: _first_process(node.name), 10, process)
    # The cable of a node that crashed may not be gone yet.
    subprocess.run(["ip", "link", "delete", node.cable], check=False, capture_output=True)
    # The network namespace is there before unshare forks, so the first process is in it already.
    cable = ("ip", "link", "add", node.cable, "type", "veth", "peer", "name", "eth0", "netns", init.pid)
    run(*cable)
    run("ip", "link", "set", node.cable, "master", BRIDGE, "up")


def kill_node(name: str) -> None:
    """End a node as a crash would."""
    stop(f"node-{name}")


def is_ready(name: str) -> bool:
    """Whether the node's condition Ready is true."""
    path = "{.status.conditions[?(@.type=='Ready')].status}"
    return kubectl("get", "node", name, "-o", f"jsonpath={path}") == "True"


def _first_process(name: str) -> psutil.Process | None:
    parent = running(f"node-{name}")
    if not parent:
        raise EndedError(f"{name} has ended")
    children = parent.children()
    return children[0] if children else None


def _apply_addons() -> None:
    template = string.Template((HERE / "addons.yaml").read_text())
    image = program_image("coredns").reference
    addons = template.substitute(DNS_IP=DNS_IP, DNS_IMAGE=image, CLUSTER_DOMAIN=CLUSTER_DOMAIN)
    kubectl("apply", "-f", "-", input=addons)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    STATE.mkdir(parents=True, exist_ok=True)
    with (STATE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClusterError("another command is at work on the test cluster") from None
        yield
