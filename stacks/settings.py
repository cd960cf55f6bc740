"""The stack's settings: declared in `Pulumi.yaml`, read and checked here and nowhere else.

`parse` is pure and serves the command line and the tests; `load` reads the configuration of the running
Pulumi program. Whether a cluster fits its quotas is not decided here but in `stacks.capacity`.
"""

import dataclasses
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import pulumi

from stacks.image_references import image_problem
from stacks.rules import (
    Rule,
    RuleError,
    boolean,
    choice,
    integer,
    integer_or,
    labels,
    number,
    pattern,
    text,
    tolerations,
)

NAMESPACE = "tfcluster"
"""Name of the Pulumi project, and so the prefix of its settings."""


class SettingsError(pulumi.RunError):
    """The settings cannot be used; the message lists every problem with its fix."""

    @classmethod
    def listing(cls, source: str, problems: list[str]) -> "SettingsError":
        """The error for `problems` found in the settings of `source`."""
        lines = "".join(f"\n  - {problem}" for problem in problems)
        return cls(f"Invalid settings of {source}; nothing was changed:{lines}")


def _setting(rule: Rule) -> Any:
    return dataclasses.field(metadata={"rule": rule})


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """What is trained and how; the meaning of each field stands in `Pulumi.yaml`."""

    task: str = _setting(pattern(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", "a Python module path such as `my.task`"))
    steps: int = _setting(integer(1, 10_000_000))
    batch_size: int = _setting(integer(1, 1_000_000))
    learning_rate: float = _setting(number(0.0, 10.0))
    seed: int = _setting(integer(0, 2**31 - 1))
    sync_period: int = _setting(integer(1, 10_000))
    data_file: str = _setting(text())
    measure_speedup: bool = _setting(boolean())
    resume: bool = _setting(boolean())
    cluster_wait_seconds: int = _setting(integer(1, 86_400))
    peer_timeout_seconds: int = _setting(integer(1, 86_400))
    train_timeout_seconds: int = _setting(integer(1, 30 * 86_400))


@dataclasses.dataclass(frozen=True, kw_only=True)
class CapacitySettings:
    """Which machines the GKE cluster has; the meaning of each field stands in `Pulumi.yaml`.

    Whether they exist, go together and fit the quotas is decided in `stacks.capacity`.
    """

    zone: str = _setting(pattern(r"[a-z0-9-]+", "the name of a Compute Engine zone"))
    machine_type: str = _setting(pattern(r"[a-z0-9-]+", "the name of a machine type, or `auto`"))
    node_sharing: str = _setting(choice("any", "services", "none"))
    worker_cpu_millicores: int = _setting(integer(0, 64_000))
    disk_type: str = _setting(choice("auto", "pd-standard", "pd-balanced", "pd-ssd", "hyperdisk-balanced"))
    disk_gb: int = _setting(integer(10, 2_000))
    runs_disk_gb: int = _setting(integer(10, 2_000))
    vcpu_budget: int = _setting(integer(0, 100_000))
    fit: bool = _setting(boolean())
    spot: bool = _setting(boolean())
    max_surge: int = _setting(integer(0, 20))
    private_nodes: bool = _setting(boolean())
    cloud_logging: bool = _setting(boolean())


@dataclasses.dataclass(frozen=True, kw_only=True)
class GkeSettings:
    """The Google Cloud project of the `gke` target, and what becomes of the cluster; see `Pulumi.yaml`."""

    project: str = _setting(pattern(r"([a-z][a-z0-9.:-]{4,61}[a-z0-9])?", "the id of a Google Cloud project"))
    image_builder: Literal["cloudbuild", "docker", "prebuilt"] = _setting(
        choice("cloudbuild", "docker", "prebuilt")
    )
    image_build_timeout_seconds: int = _setting(integer(60, 86_400))
    node_wait_seconds: int = _setting(integer(1, 86_400))
    ttl_hours: int = _setting(integer(0, 7_200))
    protect_cluster: bool = _setting(boolean())
    ip_endpoint: bool = _setting(boolean())


@dataclasses.dataclass(frozen=True, kw_only=True)
class KubernetesSettings:
    """The cluster of the `kubernetes` target and the pods in it; meanings stand in `Pulumi.yaml`."""

    kubeconfig: str = _setting(text())
    context: str = _setting(text())
    namespace: str = _setting(
        pattern(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", "lower-case letters, digits or `-`")
    )
    server_image: str = _setting(text())
    interface_image: str = _setting(text())
    interface_cpu_millicores: int = _setting(integer(100, 64_000))
    master_cpu_millicores: int = _setting(integer(10, 64_000))
    training_cpu_millicores: int = _setting(integer(10, 64_000))
    interface_memory_mib: int = _setting(integer(64, 1_000_000))
    master_memory_mib: int = _setting(integer(64, 1_000_000))
    worker_memory_mib: int = _setting(integer(64, 1_000_000))
    training_memory_mib: int = _setting(integer(64, 1_000_000))
    interface_node_selector: Mapping[str, str] = _setting(labels())
    master_node_selector: Mapping[str, str] = _setting(labels())
    worker_node_selector: Mapping[str, str] = _setting(labels())
    tolerations: Sequence[Mapping[str, str]] = _setting(tolerations())
    runs_storage_class: str = _setting(text())
    keep_runs_volume: bool = _setting(boolean())

    def problems(self) -> list[str]:
        """What the `kubernetes` target needs beyond each setting's own rule; a new stack lacks it all."""
        found = [
            f"{key} is not set, and the `kubernetes` target {reason}. Run `pulumi config set {key} <value>`."
            for key, value, reason in (
                ("kubeconfig", self.kubeconfig, "never takes the ambient one"),
                ("context", self.context, "never takes the current one"),
                ("serverImage", self.server_image, "builds no images"),
                ("interfaceImage", self.interface_image, "builds no images"),
            )
            if not value
        ]
        for key, image in (("serverImage", self.server_image), ("interfaceImage", self.interface_image)):
            if image and (problem := image_problem(key, image)):
                found.append(problem)
        return found


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of one stack."""

    target: Literal["local", "kubernetes", "gke"] = _setting(choice("local", "kubernetes", "gke"))
    workers: int | Literal["auto"] = _setting(integer_or("auto", 1, 1000))
    workers_min: int = _setting(integer(1, 1000))
    workers_max: int = _setting(integer(1, 1000))
    worker_gain_percent: int = _setting(integer(0, 100))
    run_id: str = _setting(pattern(r"[\w.-]{0,40}", "at most 40 letters, digits, `.`, `_` or `-`"))
    runs_dir: str = _setting(pattern(r".+", "a folder name"))
    wait_for_training: bool = _setting(boolean())
    training: TrainingSettings
    capacity: CapacitySettings
    gke: GkeSettings
    kubernetes: KubernetesSettings

    @property
    def servers_offered(self) -> int:
        """Number of worker servers that the stack starts."""
        return self.workers_max if isinstance(self.workers, str) else self.workers

    def problems(self) -> list[str]:
        """Rules that need more than one setting; one sentence each, empty where all hold."""
        found: list[str] = []
        if self.workers == "auto" and self.workers_min > self.workers_max:
            found.append(
                f"workersMin={self.workers_min} is above workersMax={self.workers_max}: `workers: auto` needs"
                f" a range. Run `pulumi config set workersMax {self.workers_min}` or lower workersMin."
            )
        batch_size = self.training.batch_size
        if self.servers_offered > batch_size:
            found.append(
                f"workers={self.servers_offered} is more than batchSize={batch_size}: each worker needs at"
                f" least one example of every batch. Lower workers to {batch_size} or raise batchSize."
            )
        return found


def setting_key(field_name: str) -> str:
    """The setting's name in `Pulumi.yaml` for a field name: ``batch_size`` is ``batchSize``."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), field_name)


def rules() -> dict[str, Rule]:
    """The rule of every setting, by its name in `Pulumi.yaml`."""
    return {setting_key(field.name): field.metadata["rule"] for field in _fields(Settings)}


def parse(values: Mapping[str, str], source: str) -> Settings:
    """Check the text of every setting and build the settings.

    Args:
        values: Text by setting name, defaults included.
        source: What the values come from, for the message, e.g. ``stack local (stacks/Pulumi.local.yaml)``.

    Raises:
        SettingsError: Anything is missing, unknown, of the wrong type, out of range or contradictory.
    """
    known = rules()
    problems = [_unknown(key, values[key], list(known)) for key in values if key not in known]
    parsed: dict[str, Any] = {}
    for key, rule in known.items():
        if key not in values:
            problems.append(f"{key} is missing. Run `pulumi config set {key} <value>`.")
            continue
        try:
            parsed[key] = rule.parse(values[key])
        except RuleError as error:
            problems.append(f"{key}={values[key]} {error}. Run `pulumi config set {key} <value>`.")
    settings = None if len(parsed) < len(known) else _build(Settings, parsed)
    if settings is not None:
        problems += settings.problems()
    if problems or settings is None:
        raise SettingsError.listing(source, problems)
    return settings


def load() -> Settings:
    """Read the settings of the running Pulumi program.

    Raises:
        SettingsError: As `parse`.
    """
    prefix = f"{NAMESPACE}:"
    configured = pulumi.runtime.config.CONFIG.get()
    values = {
        key.removeprefix(prefix): str(value) for key, value in configured.items() if key.startswith(prefix)
    }
    stack = pulumi.get_stack()
    return parse(values, f"stack {stack} (stacks/Pulumi.{stack}.yaml)")


def _unknown(key: str, value: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean `{nearest[0]}`? " if nearest else ""
    return f"{key}={value} is not a setting: {hint}Run `pulumi config rm {key}`; the README lists them all."


def _fields(group: type) -> Iterator[dataclasses.Field[Any]]:
    for field in dataclasses.fields(group):
        if dataclasses.is_dataclass(field.type):
            yield from _fields(field.type)  # pyright: ignore[reportArgumentType] -- a type, as annotations are not text
        else:
            yield field


def _build(group: type[Any], parsed: Mapping[str, Any]) -> Any:
    return group(
        **{
            field.name: _build(field.type, parsed)
            if dataclasses.is_dataclass(field.type) and isinstance(field.type, type)
            else parsed[setting_key(field.name)]
            for field in dataclasses.fields(group)
        }
    )
