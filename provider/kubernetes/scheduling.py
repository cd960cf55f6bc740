"""Why no node takes a pod: what it asks for, against what each node has, in one sentence with the way out.

Pure. It follows the scheduler's rules on labels, taints, CPU and memory; for anything else (ports, affinity,
volumes) the scheduler's own words are passed on.
https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from provider.kubernetes.client import Object
from provider.kubernetes.finding import Finding, SettingNames, setting_for
from provider.kubernetes.quantities import cpu_millicores, requests, whole_memory_mib

PATIENCE_S = 25.0
"""A node may be about to join, and a pod that leaves may be about to make room."""

_SHOWN_NODES = 6


@dataclass(frozen=True)
class _Verdict:
    node: str
    obstacle: str
    words: str
    free_cpu: int = 0
    free_memory: int = 0


def unschedulable(
    pod: Object, nodes: Sequence[Object], pods: Sequence[Object], role: str, names: SettingNames
) -> Finding | None:
    """The fault of a pod that the scheduler found no node for; None for any other pod.

    Args:
        pod: The pod.
        nodes: All nodes of the cluster.
        pods: All pods of the cluster, whose requests take room; those that have ended do not.
        role: The pod's role.
        names: Settings to name.
    """
    condition = next(
        (c for c in pod.get("status", {}).get("conditions", []) if c["type"] == "PodScheduled"), None
    )
    if condition is None or condition["status"] != "False" or condition.get("reason") != "Unschedulable":
        return None
    verdicts = [_judge(pod, node, pods) for node in nodes]
    asked_cpu, asked_memory = requests(pod)
    words = "; ".join(f"{v.node} {v.words}" for v in verdicts[:_SHOWN_NODES])
    more = f"; and {len(verdicts) - _SHOWN_NODES} more" if len(verdicts) > _SHOWN_NODES else ""
    if not verdicts or any(not verdict.obstacle for verdict in verdicts):
        words, more = f"the scheduler says: {condition.get('message', '')}", ""
    return Finding(
        subject=pod["metadata"]["name"],
        kind="unschedulable",
        sentence=f"finds no node for {asked_cpu}m CPU and {asked_memory} MiB: {words}{more}. "
        + _way_out(pod, verdicts, role, names),
        patience_s=PATIENCE_S,
    )


def _judge(pod: Object, node: Object, pods: Iterable[Object]) -> _Verdict:
    name = node["metadata"]["name"]
    labels = node["metadata"].get("labels", {})
    wanted = pod["spec"].get("nodeSelector", {})
    if missing := [f"{key}={value}" for key, value in wanted.items() if labels.get(key) != value]:
        return _Verdict(name, "label", f"has no label {', '.join(missing)}")
    if taint := next((t for t in node["spec"].get("taints", []) if not _is_tolerated(t, pod)), None):
        return _Verdict(name, "taint", f"has the taint {_taint_text(taint)}")
    free_cpu, free_memory = _free(node, pods)
    asked_cpu, asked_memory = requests(pod)
    if asked_cpu > free_cpu:
        total = cpu_millicores(node["status"]["allocatable"])
        return _Verdict(name, "cpu", f"has {free_cpu}m of {total}m CPU free", free_cpu, free_memory)
    if asked_memory > free_memory:
        total = whole_memory_mib(node["status"]["allocatable"])
        return _Verdict(
            name, "memory", f"has {free_memory} of {total} MiB memory free", free_cpu, free_memory
        )
    return _Verdict(name, "", "has room", free_cpu, free_memory)


def _free(node: Object, pods: Iterable[Object]) -> tuple[int, int]:
    allocatable = node["status"]["allocatable"]
    cpu, memory = cpu_millicores(allocatable), whole_memory_mib(allocatable)
    for pod in pods:
        ended = pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
        if pod["spec"].get("nodeName") == node["metadata"]["name"] and not ended:
            pod_cpu, pod_memory = requests(pod)
            cpu, memory = cpu - pod_cpu, memory - pod_memory
    return max(cpu, 0), max(memory, 0)


def _is_tolerated(taint: Object, pod: Object) -> bool:
    if taint["effect"] == "PreferNoSchedule":
        return True
    return any(
        toleration.get("key") in (None, "", taint["key"])
        and toleration.get("effect") in (None, "", taint["effect"])
        and (toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", ""))
        for toleration in pod["spec"].get("tolerations", [])
    )


def _taint_text(taint: Object) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint['effect']}"


def _way_out(pod: Object, verdicts: Sequence[_Verdict], role: str, names: SettingNames) -> str:
    """The nearest obstacle decides: a node that lacks only room is nearer than one that is not admitted."""
    by_obstacle = {verdict.obstacle: verdict for verdict in verdicts}
    if not verdicts:
        return "The cluster has no nodes: add some."
    if "" in by_obstacle:
        return "Do what it asks for, or change the nodes."
    if "cpu" in by_obstacle:
        most = max(verdict.free_cpu for verdict in verdicts if verdict.obstacle == "cpu")
        return _smaller(setting_for(names, role, "cpu"), most)
    if "memory" in by_obstacle:
        most = max(verdict.free_memory for verdict in verdicts if verdict.obstacle == "memory")
        return _smaller(setting_for(names, role, "memory"), most)
    if "taint" in by_obstacle:
        taint = by_obstacle["taint"].words.rpartition(" ")[2]
        return f"Add {taint} to {setting_for(names, role, 'tolerations')}, or remove the taint from a node."
    wanted = ",".join(f"{key}={value}" for key, value in pod["spec"]["nodeSelector"].items())
    return (
        f"Label a node with `kubectl label node {verdicts[0].node} {wanted.replace(',', ' ')}`, or change "
        f"{setting_for(names, role, 'nodes')}."
    )


def _smaller(setting: str, most: int) -> str:
    if most <= 0:
        return "Start fewer pods, or add a node."
    return f"Lower {setting} to at most {most}, or add a node."
