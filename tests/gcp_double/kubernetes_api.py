"""The API server of the double's cluster: what the project's own provider asks of one.

Pods are ready as soon as their workload is declared, and a Job has succeeded as soon as it is made; its
record is made up, and says so.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.gcp_double.cloud import State

RECORD = {
    "complete": True,
    "test_accuracy": 0.5,
    "final_loss": 1.0,
    "steps": 40,
    "sec_per_step": 0.1,
    "examples_per_sec": 6000.0,
    "workers": 6,
    "speedup": 3.0,
    "efficiency": 0.5,
    "bound": "nothing was computed: this is a double",
}
_STAMP = "2026-11-30T06:00:00Z"
_REVISION = {"currentRevision": "1", "updateRevision": "1"}


def answer(state: State, method: str, path: str, query: dict[str, str], content: bytes) -> Any:
    """The JSON object that answers a request, or None where there is nothing at the path."""
    for pattern, view in _ROUTES:
        match = re.fullmatch(pattern, f"{method} {path}")
        if match:
            return view(state, query, content, **match.groupdict())
    return None


def _namespace(state: State, _query: Any, _content: bytes, name: str) -> Any:
    if name != "kube-system" and f"Namespace//{name}" not in state.in_cluster:
        return None
    return {"metadata": {"name": name, "uid": state.cluster_uid, "creationTimestamp": _STAMP}, "status": {}}


def _delete_namespace(state: State, _query: Any, _content: bytes, name: str) -> Any:
    gone = [key for key in state.in_cluster if key.split("/")[1] == name or key == f"Namespace//{name}"]
    for key in gone:
        del state.in_cluster[key]
    return {"metadata": {"name": name}} if gone else None


def _workload(state: State, _query: Any, _content: bytes, kind: str, namespace: str, name: str) -> Any:
    word = {"statefulsets": "StatefulSet", "deployments": "Deployment"}[kind]
    found = state.in_cluster.get(f"{word}/{namespace}/{name}")
    if found is None:
        return None
    replicas = found["spec"].get("replicas", 1)
    counts = {"replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas}
    return {
        "metadata": {"name": name, "generation": 1},
        "status": {"observedGeneration": 1, **counts, **_REVISION},
    }


def _jobs(state: State, _query: Any, _content: bytes, namespace: str) -> Any:
    return {"items": [job for key, job in state.in_cluster.items() if key.startswith(f"Job/{namespace}/")]}


def _job(state: State, _query: Any, _content: bytes, namespace: str, name: str) -> Any:
    return state.in_cluster.get(f"Job/{namespace}/{name}")


def _make_job(state: State, _query: Any, content: bytes, namespace: str) -> Any:
    job = json.loads(content)
    job["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    state.in_cluster[f"Job/{namespace}/{job['metadata']['name']}"] = job
    state.events.append(f"create Job {job['metadata']['name']}")
    return job


def _delete_job(state: State, _query: Any, _content: bytes, namespace: str, name: str) -> Any:
    state.events.append(f"delete Job {name}")
    return state.in_cluster.pop(f"Job/{namespace}/{name}", None)


def _pods(state: State, query: dict[str, str], _content: bytes, namespace: str) -> Any:
    selector = query.get("labelSelector", "")
    return {"items": [pod for pod in _all_pods(state, namespace) if selector in ("", *_labels(pod))]}


def _all_pods(state: State, namespace: str) -> Iterator[dict[str, Any]]:
    for key, job in state.in_cluster.items():
        if key.startswith(f"Job/{namespace}/"):
            labels = {
                **job["spec"]["template"]["metadata"]["labels"],
                "batch.kubernetes.io/job-name": key.split("/")[2],
            }
            ended = {"terminated": {"exitCode": 0, "reason": "Completed", "message": json.dumps(RECORD)}}
            yield _pod(f"{key.split('/')[2]}-0", labels, "Succeeded", ended)


def _pod(name: str, labels: dict[str, str], phase: str, state: dict[str, Any]) -> dict[str, Any]:
    containers = [{"name": "coordinator", "state": state, "ready": False, "restartCount": 0}]
    return {
        "metadata": {"name": name, "labels": labels, "creationTimestamp": _STAMP},
        "spec": {"containers": [{"name": "coordinator"}], "nodeName": "node"},
        "status": {"phase": phase, "containerStatuses": containers},
    }


def _labels(pod: dict[str, Any]) -> list[str]:
    return [f"{key}={value}" for key, value in pod["metadata"]["labels"].items()]


def _log(_state: State, _query: Any, _content: bytes, **_: str) -> Any:
    return f"{_STAMP} 10 0.5 1.0 0.1\n".encode()


def _nothing(_state: State, _query: Any, _content: bytes, **_: str) -> Any:
    return {"items": []}


_NS = "/api/v1/namespaces/(?P<namespace>[^/]+)"
_JOBS = "/apis/batch/v1/namespaces/(?P<namespace>[^/]+)/jobs"
_ROUTES: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("GET /api/v1/namespaces/(?P<name>[^/]+)", _namespace),
    ("DELETE /api/v1/namespaces/(?P<name>[^/]+)", _delete_namespace),
    (r"GET /apis/apps/v1/namespaces/(?P<namespace>[^/]+)/(?P<kind>\w+)/(?P<name>[^/]+)", _workload),
    (f"GET {_JOBS}", _jobs),
    (f"POST {_JOBS}", _make_job),
    (f"GET {_JOBS}/(?P<name>[^/]+)", _job),
    (f"DELETE {_JOBS}/(?P<name>[^/]+)", _delete_job),
    (f"GET {_NS}/pods", _pods),
    (f"GET {_NS}/pods/(?P<name>[^/]+)/log", _log),
    (f"GET {_NS}/(events|persistentvolumeclaims)", _nothing),
    ("GET /api/v1/(pods|nodes)", _nothing),
)
