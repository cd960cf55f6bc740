"""Everything that is wrong in a stack's namespace, from what the API server shows at one moment. Pure.

Pods first (no node, no image, no memory, crash, lost node), then what keeps pods from being made at all
(quota, pod security), then volumes. How long a fault is put up with is `Finding.patience_s`; who waits
decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from provider.kubernetes.client import Object
from provider.kubernetes.containers import container_findings
from provider.kubernetes.finding import Finding, SettingNames, setting_for
from provider.kubernetes.scheduling import unschedulable

ROLE_LABEL = "app"
"""Label that carries a pod's role; `components.kubernetes.pod` sets it."""

NO_SERVERS = ("training", "if")
"""Roles whose pods run no TensorFlow server that a run could miss."""

MISSING_PATIENCE_S = 15.0
"""A StatefulSet makes a pod anew within seconds."""

_VOLUME_EVENTS = ("FailedMount", "FailedAttachVolume", "FailedBinding", "ProvisioningFailed")


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """What the API server shows at one moment.

    Attributes:
        pods: The stack's pods.
        all_pods: Pods of all namespaces, whose requests fill the nodes; empty where they may not be read.
        nodes: Nodes of the cluster; empty likewise.
        events: Events of the namespace that are newer than the operation.
        claims: Claims of the namespace.
        wanted: Number of pods by owner, where it is not 1.
        names: Settings to name.
    """

    pods: Sequence[Object]
    all_pods: Sequence[Object] = ()
    nodes: Sequence[Object] = ()
    events: Sequence[Object] = ()
    claims: Sequence[Object] = ()
    wanted: Mapping[str, int] = field(default_factory=dict[str, int])
    names: SettingNames = field(default_factory=dict[str, Mapping[str, str]])


def findings(snapshot: Snapshot) -> list[Finding]:
    """Every fault, at most one for each subject and kind."""
    volumes = list(_volume_findings(snapshot))
    found = [*_refusals(snapshot), *volumes]
    unbound = {finding.subject for finding in volumes}
    for pod in snapshot.pods:
        found += _pod_findings(pod, snapshot, has_volume_fault=bool(unbound & _claims_of(pod)))
    return list({(finding.subject, finding.kind): finding for finding in found}.values())


def missing_servers(snapshot: Snapshot, servers: Iterable[str]) -> list[Finding]:
    """A finding for each server's pod that does not exist, and that nobody refuses to make."""
    present = {name_of(pod) for pod in snapshot.pods}
    words = (
        "does not exist, and the run waits for it. If it does not come back by itself, `pulumi up --refresh` "
        "makes it anew."
    )
    return [
        Finding(subject=server, kind="missing", sentence=words, patience_s=MISSING_PATIENCE_S)
        for server in servers
        if server not in present
    ]


def name_of(pod: Object) -> str:
    """A pod's name."""
    return pod["metadata"]["name"]


def role_of(pod: Object) -> str:
    """A pod's role."""
    return pod["metadata"].get("labels", {}).get(ROLE_LABEL, "")


def is_ready(pod: Object) -> bool:
    """Whether a pod takes part: it runs, is ready and is not about to leave."""
    if "deletionTimestamp" in pod["metadata"]:
        return False
    conditions = pod.get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def pod_state(pod: Object) -> str:
    """A few words on how a pod is, for a line of progress."""
    status = pod.get("status", {})
    if "deletionTimestamp" in pod["metadata"]:
        return "is being removed"
    if is_ready(pod):
        return "ready"
    for container in status.get("containerStatuses", []):
        state = container.get("state", {})
        if "waiting" in state:
            return str(state["waiting"].get("reason", "waiting"))
        if "terminated" in state:
            return f"ended with {state['terminated'].get('exitCode')}"
    if status.get("phase") == "Running":
        return "running, its port is not open yet"
    return "waits for a node" if not pod["spec"].get("nodeName") else "is being started"


def _pod_findings(pod: Object, snapshot: Snapshot, *, has_volume_fault: bool) -> Iterator[Finding]:
    role = role_of(pod)
    no_node = unschedulable(pod, snapshot.nodes, snapshot.all_pods or snapshot.pods, role, snapshot.names)
    if no_node:
        if not has_volume_fault:  # which the scheduler would only repeat
            yield no_node
        return
    lost = _lost_node(pod, snapshot.nodes)
    if lost:
        yield lost
    if lost or "deletionTimestamp" in pod["metadata"]:
        return
    yield from container_findings(pod, role, snapshot.names)


def _claims_of(pod: Object) -> set[str]:
    volumes = pod["spec"].get("volumes", [])
    return {_claim(v["persistentVolumeClaim"]["claimName"]) for v in volumes if "persistentVolumeClaim" in v}


def _claim(name: str) -> str:
    return f"the claim {name}"


def _lost_node(pod: Object, nodes: Iterable[Object]) -> Finding | None:
    name = pod["spec"].get("nodeName")
    node = next((node for node in nodes if node["metadata"]["name"] == name), None)
    if not name or pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
        return None
    if node is None:
        if not nodes:
            return None
        words = (
            f"was on the node {name}, which is not there any more; it is made anew when Kubernetes notices."
        )
        return _about(pod, "node", words, 60)
    ready = next((c for c in node["status"].get("conditions", []) if c["type"] == "Ready"), {})
    if ready.get("status") == "True":
        return None
    namespace = pod["metadata"]["namespace"]
    words = (
        f"is on the node {name}, which does not report since {ready.get('lastTransitionTime', 'its start')} "
        f"({ready.get('reason', 'NotReady')}). Bring the node back, or move the pod with `kubectl delete "
        f"pod -n {namespace} {pod['metadata']['name']} --force`."
    )
    return _about(pod, "node", words, 20)


def _refusals(snapshot: Snapshot) -> Iterator[Finding]:
    """Pods that are not even made: quota, pod security, or another admission rule."""
    for event in snapshot.events:
        if event.get("reason") != "FailedCreate":
            continue
        message, owner = str(event.get("message", "")), event["involvedObject"]["name"]
        if _pods_of(owner, snapshot) >= snapshot.wanted.get(owner, 1):
            continue  # it was made after all
        if quota := re.search(r"exceeded quota: (\S+), requested: (.*), used: (.*), limited: (.*)", message):
            words = (
                f"may not start a pod: the quota {quota[1]} of the namespace allows {quota[4]}, {quota[3]} "
                f"are used and {quota[2]} were asked for. Ask for less, or raise the quota."
            )
        elif security := re.search(r"violates PodSecurity \"([^\"]+)\": (.*)", message):
            words = f"may not start a pod: the pod security level {security[1]} forbids {security[2]}."
        else:
            words = f"may not start a pod: {message}."
        yield Finding(subject=owner, kind="refused", sentence=words, patience_s=10)


def _pods_of(owner: str, snapshot: Snapshot) -> int:
    owners = [ref["name"] for pod in snapshot.pods for ref in pod["metadata"].get("ownerReferences", [])]
    return owners.count(owner)


def _volume_findings(snapshot: Snapshot) -> Iterator[Finding]:
    reasons = {
        event["involvedObject"]["name"]: str(event.get("message", ""))
        for event in snapshot.events
        if event.get("reason") in _VOLUME_EVENTS
    }
    for claim in snapshot.claims:
        name = claim["metadata"]["name"]
        if claim.get("status", {}).get("phase") == "Bound" or name not in reasons:
            continue
        words = (
            f"gets no volume: {reasons[name]}. Set {setting_for(snapshot.names, 'runs', 'storageClass')} to "
            "one of `kubectl get storageclass`."
        )
        yield Finding(subject=_claim(name), kind="volume", sentence=words, patience_s=15)
    for pod in snapshot.pods:
        name = pod["metadata"]["name"]
        if name in reasons and not is_ready(pod):
            yield _about(pod, "volume", f"cannot use its volume: {reasons[name]}.", 45)


def _about(pod: Object, kind: str, sentence: str, patience_s: float) -> Finding:
    return Finding(subject=pod["metadata"]["name"], kind=kind, sentence=sentence, patience_s=patience_s)
