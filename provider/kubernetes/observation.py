"""Takes a snapshot of a stack's namespace for `diagnosis`, and keeps count of how long faults have lasted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta

from provider.kubernetes.client import Api, ApiRefused, Object
from provider.kubernetes.diagnosis import Snapshot
from provider.kubernetes.finding import Finding, SettingNames

STACK_PODS = "app.kubernetes.io/part-of=tfcluster"
"""Selects the stack's pods; `components.kubernetes.pod` labels them."""

EVENTS_BEFORE_S = 10
"""Events a little older than the operation count: clocks differ, and the fault may have been first."""


def take_snapshot(
    api: Api,
    namespace: str,
    since: datetime,
    names: SettingNames,
    wanted: Mapping[str, int] | None = None,
) -> Snapshot:
    """Ask the API server for everything that a diagnosis needs.

    Args:
        api: The cluster.
        namespace: The stack's namespace.
        since: Start of the operation; earlier events are of no interest.
        names: Settings to name.
        wanted: Number of pods by owner, where it is not 1.

    Raises:
        ApiUnreachable, ApiRefused: No answer, or the namespace may not be read.
    """
    events = api.items(api.core.list_namespaced_event, namespace)
    return Snapshot(
        pods=api.items(api.core.list_namespaced_pod, namespace, label_selector=STACK_PODS),
        all_pods=_if_allowed(lambda: api.items(api.core.list_pod_for_all_namespaces)),
        nodes=_if_allowed(lambda: api.items(api.core.list_node)),
        events=[event for event in events if _last_seen(event) >= since - timedelta(seconds=EVENTS_BEFORE_S)],
        claims=api.items(api.core.list_namespaced_persistent_volume_claim, namespace),
        wanted=wanted or {},
        names=names,
    )


class Patience:
    """How long each fault has lasted, over many looks.

    Args:
        clock: Seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, str], float] = {}

    def exhausted_by(self, findings: Iterable[Finding]) -> list[Finding]:
        """Note the faults seen now; return all of them once any has lasted too long, else none."""
        now = self._clock()
        seen = {(finding.subject, finding.kind): finding for finding in findings}
        self._since = {key: self._since.get(key, now) for key in seen}
        too_long = [key for key, finding in seen.items() if now - self._since[key] >= finding.patience_s]
        return list(seen.values()) if too_long else []


def _if_allowed(read: Callable[[], list[Object]]) -> list[Object]:
    """What may be read; nodes and other namespaces are not everybody's business."""
    try:
        return read()
    except ApiRefused as error:
        if error.status == 403:
            return []
        raise


def _last_seen(event: Object) -> datetime:
    series = event.get("series") or {}
    stamp = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    text = stamp or event["metadata"]["creationTimestamp"]
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
