"""Follows one training Job to its end: its lines to the terminal, its faults as sentences, then its record.

It changes nothing in the cluster. The end of the log means nothing, and neither does the end of the pod: the
record alone is success.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from provider.errors import ProviderError
from provider.kubernetes.client import Api, ApiRefused, ApiUnreachable, Object
from provider.kubernetes.diagnosis import (
    NO_SERVERS,
    findings,
    missing_servers,
    name_of,
    pod_state,
    role_of,
)
from provider.kubernetes.finding import Finding, SettingNames, as_lines
from provider.kubernetes.job import ended_state, failure_reason, phase, record
from provider.kubernetes.job_log import LogReader
from provider.kubernetes.observation import Patience, take_snapshot
from provider.operation import Operation
from provider.run_lines import RunLines

LOOK_PERIOD_S = 1.0
DIAGNOSIS_PERIOD_S = 5.0
"""Nodes and events are asked for less often than the log."""

NO_POD = "there is no such pod"

_LAST_LINES_S = 15.0
"""How long the end of a log may lag behind the end of its pod."""


class RunFailed(ProviderError):  # noqa: N818 -- what became of a run
    """A run ended without a record."""


class JobGone(ProviderError):  # noqa: N818 -- a state of the cluster
    """Somebody deleted the Job while it was followed."""


@dataclass(kw_only=True)
class Follower:
    """One Job that is followed.

    Attributes:
        api: The cluster.
        operation: Where lines go, and what ends the waiting.
        namespace: Namespace of the Job.
        job: Name of the Job.
        run_dir: The run's folder on this machine; `train.log` in it gets every line.
        steps: Steps of the whole run.
        servers: Names of the servers' pods that the run was made for.
        setting_names: Settings to name.
        api_timeout_s: How long an API server that does not answer is waited for.
    """

    api: Api
    operation: Operation
    namespace: str
    job: str
    run_dir: Path
    steps: int
    servers: Sequence[str]
    setting_names: SettingNames
    api_timeout_s: float
    _readers: dict[str, LogReader] = field(default_factory=dict[str, LogReader])
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _patience: Patience = field(default_factory=Patience)
    _patience_with_servers: Patience = field(default_factory=Patience)
    _warned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _answered_at: float = field(default_factory=time.monotonic)
    _diagnosed_at: float = 0.0
    _lines: RunLines = field(init=False)

    def __post_init__(self) -> None:
        self._lines = RunLines(self.steps)

    def result(self) -> dict[str, Any]:
        """Follow the Job to its end; return its record.

        Raises:
            RunFailed: It ended without one.
            JobGone: It was deleted meanwhile.
            ApiUnreachable: The API server has not answered for too long; the Job goes on.
            InterruptedByUser: The user interrupted; the Job goes on.
        """
        while True:
            try:
                found = self._look()
            except ApiUnreachable as error:
                self._bear(error)
                found = None
            if found is not None:
                return found
            reached = f": {self._lines.last_line}" if self._lines.last_line else ""
            self.operation.heartbeat(f"{self.job} goes on{reached}")
            self.operation.sleep(LOOK_PERIOD_S)

    def _look(self) -> dict[str, Any] | None:
        job = self.api.find(self.api.batch.read_namespaced_job, self.job, self.namespace)
        if job is None:
            raise JobGone(
                f"Job {self.job} was deleted while it was followed. `pulumi up` starts the run anew."
            )
        pods = self._pods()
        self._answered_at = time.monotonic()
        for pod in pods:
            self._pass_on_lines(pod)
        if phase(job) == "running":
            self._diagnose(pods)
            return None
        self._read_last_lines()
        pods = self._pods()
        found = next((one for one in map(record, pods) if one), None)
        if found is None:
            raise RunFailed(self._failure(job, pods))
        return found

    def _pods(self) -> list[Object]:
        selector = f"batch.kubernetes.io/job-name={self.job}"
        return self.api.items(self.api.core.list_namespaced_pod, self.namespace, label_selector=selector)

    def _pass_on_lines(self, pod: Object) -> int:
        name = pod["metadata"]["name"]
        if not pod.get("status", {}).get("containerStatuses"):
            return 0

        def fetch(since_s: int | None) -> str:
            since = {} if since_s is None else {"since_seconds": since_s}
            return self.api.log(self.namespace, name, "coordinator", timestamps=True, **since)

        reader = self._readers.setdefault(name, LogReader(fetch))
        try:
            lines = reader.new_lines()
        except ApiRefused:
            return 0  # the container has not started, or its node does not answer
        with (self.run_dir / "train.log").open("a", encoding="utf-8") as log:
            log.writelines(f"{line}\n" for line in lines)
        for line in lines:
            self._lines.show(line, self.operation.progress)
        return len(lines)

    def _read_last_lines(self) -> None:
        """Wait for the log's end: lines of a pod that has just ended may be a moment late."""
        deadline = time.monotonic() + _LAST_LINES_S
        while time.monotonic() < deadline:
            if not any(self._pass_on_lines(pod) for pod in self._pods()):
                return
            time.sleep(0.2)

    def _diagnose(self, pods: Iterable[Object]) -> None:
        """End a run that cannot start; say of a server's fault that the run itself has to bear."""
        if time.monotonic() - self._diagnosed_at < DIAGNOSIS_PERIOD_S:
            return
        self._diagnosed_at = time.monotonic()
        snapshot = take_snapshot(self.api, self.namespace, self._started, self.setting_names)
        found = findings(snapshot)
        own = {pod["metadata"]["name"] for pod in pods} | {self.job}
        if fatal := self._patience.exhausted_by(finding for finding in found if finding.subject in own):
            raise RunFailed(f"The training Job {self.job} cannot run:\n{as_lines(fatal)}")
        self._warn(finding for finding in found if finding.subject not in own)
        self._warn(self._patience_with_servers.exhausted_by(missing_servers(snapshot, self.servers)))

    def _warn(self, found: Iterable[Finding]) -> None:
        for finding in found:
            if (finding.subject, finding.kind) not in self._warned:
                self._warned.add((finding.subject, finding.kind))
                self.operation.progress.warn(f"{finding.subject} {finding.sentence}")

    def _failure(self, job: Object, pods: list[Object]) -> str:
        ended = next((state for state in map(ended_state, pods) if state), {})
        reason = failure_reason(job)
        reached = self._lines.last_progress or self._lines.last_line
        last = f" The last line before: {reached}." if reached else ""
        if reason == "DeadlineExceeded":
            words = f"reached its deadline and was stopped.{last} Raise trainTimeoutSeconds or lower steps."
        elif ended.get("reason") == "OOMKilled":
            setting = self.setting_names.get("training", {}).get("memory", "its memory")
            words = f"ran out of memory.{last} Raise {setting}."
        elif self._lines.last_error:
            words = self._lines.last_error
        elif ended.get("exitCode") == 0:
            words = f"ended without a result record, so that it has not succeeded.{last}"
        else:
            words = f"ended with exit code {ended.get('exitCode', 'unknown')} and no result record.{last}"
        return f"Training run {self.run_dir.name} failed: {words}{self._server_states()}"

    def _server_states(self) -> str:
        """State of every server that is not ready, which a missing peer is among."""
        snapshot = take_snapshot(self.api, self.namespace, self._started, self.setting_names)
        states = dict.fromkeys(self.servers, NO_POD)
        states |= {name_of(pod): pod_state(pod) for pod in snapshot.pods if role_of(pod) not in NO_SERVERS}
        missing = [f"{name}: {state}" for name, state in states.items() if state != "ready"]
        if not missing:
            return ""
        anew = " `pulumi up --refresh` makes missing pods anew." if NO_POD in states.values() else ""
        return f"\nServers that are not ready: {', '.join(missing)}.{anew}"

    def _bear(self, error: ApiUnreachable) -> None:
        silent_s = time.monotonic() - self._answered_at
        if silent_s > self.api_timeout_s:
            raise ApiUnreachable(
                f"{error} That for {silent_s:.0f} s; Job {self.job} goes on without us. `pulumi up` follows "
                "it again once the cluster answers."
            ) from error
        self.operation.progress.show(
            f"{error} Waiting for it ({silent_s:.0f} s of {self.api_timeout_s:.0f} s)"
        )
