"""The simulated cloud: what exists, what is in use against which quota, what was done in which order.

State is one JSON file under a lock, as the plug-in, the REST server and the test are processes of their own.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ENVIRONMENT_VARIABLE = "GCP_DOUBLE_CLOUD"
"""Tells the plug-ins the file of the cloud."""

PROJECT = "demo-project"
REGION = "us-central1"
ZONES = ("us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f")

TRIAL_LIMITS: dict[str, float] = {
    "CPUS": 8,
    "E2_CPUS": 8,
    "N2_CPUS": 8,
    "CPUS_ALL_REGIONS": 12,
    "SSD_TOTAL_GB": 250,
    "DISKS_TOTAL_GB": 2048,
    "IN_USE_ADDRESSES": 4,
    "STATIC_ADDRESSES": 1,
    "INSTANCES": 24,
    "NETWORKS": 5,
    "ROUTERS": 10,
}
"""Limits of a free trial's project, as people reported them."""

ALWAYS_ENABLED = ("serviceusage", "cloudresourcemanager", "cloudbilling", "compute", "storage")
"""APIs that a new project has, or that `doctor` asks for before the first `up`."""

PROJECT_WIDE = ("CPUS_ALL_REGIONS", "NETWORKS", "ROUTERS")
"""Metrics that the API reports on the project instead of the region."""


class CloudError(Exception):
    """The cloud refuses a call; the text is what the API says."""


def not_enabled(service: str) -> str:
    """What Google says when an API is off, or was switched on only a moment ago."""
    api = f"{service}.googleapis.com"
    return (
        f"googleapi: Error 403: {api} has not been used in project {PROJECT} before or it is disabled."
        " Enable it by visiting"
        f" https://console.developers.google.com/apis/api/{api}/overview?project={PROJECT} then retry. If you"
        " enabled this API recently, wait a few minutes for the action to propagate to our systems and"
        " retry., accessNotConfigured"
    )


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that goes wrong on purpose.

    Attributes:
        kind: `refused` (the call fails with `message`), `not-enabled` (as a service enabled a moment ago),
            `fails-after-acceptance`, `stock-out`, `slow` (takes `seconds`), `orphan-disk`.
        on: Type token of the resource that is affected.
        operation: `create`, `update` or `delete`.
        times: How often it happens.
        message: What the API says; only for `refused`.
        seconds: How long the call takes; only for `slow`.
    """

    kind: str
    on: str
    operation: str = "create"
    times: int = 1
    message: str = ""
    seconds: float = 0


@dataclass
class State:
    """Everything the cloud knows.

    Attributes:
        objects: Kind, inputs and outputs of what exists, by id.
        use: Consumption by metric, by the thing that consumes.
        events: What was done, in order: `create type name` and the like.
        leftovers: What no resource owns, as the REST API lists it, by collection: disks and so on.
        enabled: APIs that are on, by the first part of their name.
        in_cluster: Kubernetes objects in the one cluster, by ``Kind/namespace/name``.
        cluster_endpoint: Address that clusters are given; by default a name that nothing answers at.
    """

    limits: dict[str, float] = field(default_factory=lambda: dict(TRIAL_LIMITS))
    use: dict[str, dict[str, float]] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    leftovers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    enabled: list[str] = field(default_factory=lambda: list(ALWAYS_ENABLED))
    in_cluster: dict[str, dict[str, Any]] = field(default_factory=dict)
    cluster_endpoint: str = ""

    def require_service(self, service: str) -> None:
        """Refuse, as Google does, a call to an API that is not enabled.

        Raises:
            CloudError: It is not.
        """
        if service not in self.enabled:
            raise CloudError(not_enabled(service))

    def require(self, *ids: str) -> None:
        """Refuse, as Google does, what is attached to something that does not exist.

        Raises:
            CloudError: One of these does not.
        """
        missing = [one for one in ids if one not in self.objects]
        if missing:
            raise CloudError(f"googleapi: Error 404: The resource '{missing[0]}' was not found, notFound")

    def used(self, metric: str) -> float:
        """What all consumers together use of a metric now."""
        return sum(amounts.get(metric, 0) for amounts in self.use.values())

    def occupy(self, consumer: str, amounts: Mapping[str, float]) -> None:
        """Let a consumer use these amounts from now on, in the place of what it used before.

        Raises:
            CloudError: A limit would be exceeded; nothing changes.
        """
        before = self.use.get(consumer)
        self.use[consumer] = dict(amounts)
        short = [metric for metric in sorted(amounts) if self.used(metric) > self._limit(metric)]
        if short:
            self.release(consumer)
            text = " ".join(self._shortage(metric, amounts[metric]) for metric in short)
            if before is not None:
                self.use[consumer] = before
            raise CloudError(f"googleapi: Error 403: Insufficient regional quota to satisfy request: {text}")
        for metric in amounts:
            self.peaks[metric] = max(self.peaks.get(metric, 0), self.used(metric))

    def release(self, consumer: str) -> None:
        """Let a consumer use nothing any more."""
        self.use.pop(consumer, None)

    @property
    def cluster_uid(self) -> str:
        """Identity of the one cluster, another one for each that is made; empty where there is none."""
        found = [one["uid"] for one in self.objects.values() if "uid" in one]
        return str(found[0]) if found else ""

    @property
    def has_cluster(self) -> bool:
        """Whether a cluster exists."""
        return bool(self.cluster_uid)

    def take_fault(self, operation: str, token: str, *kinds: str) -> Fault | None:
        """The next fault of one of these kinds that affects an operation, used up by this call."""
        for entry in self.faults:
            fault = Fault(**entry)
            if fault.kind in kinds and (fault.operation, fault.on) == (operation, token) and fault.times > 0:
                entry["times"] -= 1
                return fault
        return None

    def _limit(self, metric: str) -> float:
        return self.limits.get(metric, float("inf"))

    def _shortage(self, metric: str, requested: float) -> str:
        limit, free = self._limit(metric), self._limit(metric) - self.used(metric)
        return (
            f"resource \"{metric}\": request requires '{requested:.1f}' and is short"
            f" '{requested - free:.1f}'. project has a quota of '{limit:.1f}' with '{free:.1f}' available."
        )


class Cloud:
    """Handle on the cloud in one file; safe to use from several processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            self._write(State())

    @contextmanager
    def open(self) -> Iterator[State]:
        """The state, to read and to change; written back at the end, also when an error leaves the block."""
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = self.path.read_text()
            state = State(**json.loads(before))
            try:
                yield state
            finally:
                if _text(state) != before:
                    self._write(state)

    def read(self) -> State:
        """A copy of the state."""
        with self.open() as state:
            return state

    def inject(self, *faults: Fault) -> None:
        """Let these things go wrong from now on."""
        with self.open() as state:
            state.faults.extend(asdict(fault) for fault in faults)

    def _write(self, state: State) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(_text(state))
        os.replace(new, self.path)


def _text(state: State) -> str:
    return json.dumps(vars(state), indent=1)
