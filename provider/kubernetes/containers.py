"""What keeps a pod's containers from running: image, memory, or a program that ends. Pure.

Reasons and messages are the kubelet's and containerd's; they are not a stable interface, so that each is
looked at for a few signs, and what is not recognised is passed on in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from provider.kubernetes.client import Object
from provider.kubernetes.finding import Finding, SettingNames, setting_for

_PULL_REASONS = (
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
)
_BROKEN_REASONS = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")
_WRONG_ARCHITECTURE = re.compile(
    r"no match for platform|exec format error|does not match the specified platform", re.I
)
_NOT_ALLOWED = re.compile(
    r"\b40[13]\b|unauthorized|forbidden|denied|authorization failed|authentication required",
    re.I,
)
_NOT_FOUND = re.compile(r"\b404\b|not found|manifest unknown|name unknown|does not exist", re.I)
_NO_WAY = re.compile(
    r"no such host|dial tcp|i/o timeout|connection refused|TLS handshake|deadline exceeded", re.I
)

_PULL_PATIENCE_S = 30.0
"""A registry or the way to it may fail for a moment."""

_ENDED_PATIENCE_S = 5.0
"""A pod that ended before its settings were corrected is about to be replaced."""


def container_findings(pod: Object, role: str, names: SettingNames) -> Iterator[Finding]:
    """Faults of a pod's containers."""
    status = pod.get("status", {})
    images = {container["name"]: container["image"] for container in pod["spec"]["containers"]}
    for container in [*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])]:
        state = container.get("state", {})
        waiting = state.get("waiting") or {}
        ended = state.get("terminated") or (container.get("lastState") or {}).get("terminated") or {}
        image = images.get(container["name"], container.get("image", ""))
        if waiting.get("reason") in _PULL_REASONS:
            yield _image_fault(pod, image, waiting, setting_for(names, role, "image"))
        elif ended.get("reason") == "OOMKilled" and not container.get("ready"):
            yield _out_of_memory(pod, container["name"], setting_for(names, role, "memory"))
        elif _WRONG_ARCHITECTURE.search(f"{waiting.get('message', '')} {ended.get('message', '')}"):
            yield _wrong_architecture(pod, image, setting_for(names, role, "image"))
        elif waiting.get("reason") in _BROKEN_REASONS:
            yield _finding(
                pod, "broken", f"cannot be started: {waiting.get('message', waiting['reason'])}", 10
            )
        elif waiting.get("reason") == "CrashLoopBackOff" or (
            ended.get("exitCode") and container["restartCount"] > 1
        ):
            yield _crash(pod, container["name"], container["restartCount"], ended)
    if status.get("reason") == "Evicted":
        message = status.get("message", "the node ran short of something")
        yield _finding(pod, "evicted", f"was evicted from its node: {message}", 0)


def last_line(ended: Object) -> str:
    """Last line of what an ended container left behind."""
    lines = [line for line in str(ended.get("message") or "").splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def _image_fault(pod: Object, image: str, waiting: Object, setting: str) -> Finding:
    message = str(waiting.get("message", ""))
    # The image's own name may contain any of the signs.
    signs = message.replace(image, "").replace(image.partition("@")[0], "")
    if waiting["reason"] == "InvalidImageName":
        return _finding(
            pod, "image", f"has an image that is no image reference: {image!r}. Correct {setting}.", 0
        )
    if _WRONG_ARCHITECTURE.search(signs):
        return _wrong_architecture(pod, image, setting)
    if _NOT_ALLOWED.search(signs):
        words = (
            f"may not pull the image {image}: the registry refuses it to the nodes. Let them read the "
            f"repository, or correct {setting}."
        )
        return _finding(pod, "image", words, 5)
    if _NOT_FOUND.search(signs):
        return _finding(pod, "image", f"has an image that does not exist: {image}. Correct {setting}.", 5)
    if _NO_WAY.search(signs):
        words = (
            f"cannot pull the image {image}: its node does not reach the registry ({_tail(signs)}). Correct "
            f"{setting}, or open the way."
        )
        return _finding(pod, "image", words, _PULL_PATIENCE_S)
    words = f"cannot pull the image {image}: {_tail(signs) or waiting['reason']}. Correct {setting}."
    return _finding(pod, "image", words, _PULL_PATIENCE_S)


def _wrong_architecture(pod: Object, image: str, setting: str) -> Finding:
    words = (
        f"has an image for another processor architecture than its node's: {image}. Build it for the node "
        f"(`--platform linux/amd64` as a rule), or correct {setting}."
    )
    return _finding(pod, "architecture", words, 5)


def _out_of_memory(pod: Object, container: str, setting: str) -> Finding:
    limits = {c["name"]: c.get("resources", {}).get("limits", {}) for c in pod["spec"]["containers"]}
    limit = limits.get(container, {}).get("memory", "no limit")
    return _finding(
        pod, "memory", f"ran out of memory at its limit of {limit}. Raise {setting}.", _ENDED_PATIENCE_S
    )


def _crash(pod: Object, container: str, restarts: int, ended: Object) -> Finding:
    line = last_line(ended)
    said = f"its last line is: {line}" if line else "it said nothing"
    name = pod["metadata"]["name"]
    words = (
        f"({container}) has ended {restarts + 1} times, with exit code {ended.get('exitCode', '?')}; {said}. "
        f"All of it: `kubectl logs -n {pod['metadata']['namespace']} {name} -c {container} --previous`."
    )
    return _finding(pod, "crash", words, _ENDED_PATIENCE_S)


def _finding(pod: Object, kind: str, sentence: str, patience_s: float) -> Finding:
    return Finding(subject=pod["metadata"]["name"], kind=kind, sentence=sentence, patience_s=patience_s)


def _tail(message: str) -> str:
    return message.strip().rstrip(".").rsplit(": ", 1)[-1]
