"""The `kubernetes` target: the same pods in any cluster that a kubeconfig leads to."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
import yaml

from components.kubernetes.pod import Place
from stacks.settings import KubernetesSettings, Settings, SettingsError
from stacks.topology import Role
from stacks.workload import PROJECT, PodKind, WorkloadArgs, declare_workload

DEFAULT_WORKER_CPU_MILLICORES = 500
"""CPU of a worker where nobody plans the nodes and `workerCpuMillicores` is 0."""

SETTING_NAMES: Mapping[str, Mapping[str, str]] = {
    role: {
        "cpu": f"{kind}CpuMillicores",
        "memory": f"{kind}MemoryMib",
        "nodes": f"{selector}NodeSelector",
        "tolerations": "tolerations",
        "image": image,
    }
    for role, kind, selector, image in (
        (str(Role.INTERFACE), "interface", "interface", "interfaceImage"),
        ("training", "training", "interface", "serverImage"),
        (str(Role.MASTER), "master", "master", "serverImage"),
        (str(Role.WORKER), "worker", "worker", "serverImage"),
    )
} | {"runs": {"storageClass": "runsStorageClass"}}
"""Setting that a message about a pod of a role names, by matter."""


def declare(settings: Settings) -> dict[str, pulumi.Input[Any]]:
    """Declare the workload; return the stack's outputs by name.

    Raises:
        SettingsError: Cluster or images are not named, or the kubeconfig has no such context.
    """
    kubernetes = settings.kubernetes
    problems = kubernetes.problems()
    kubeconfig = ""
    if kubernetes.kubeconfig and kubernetes.context:
        try:
            kubeconfig = read_kubeconfig(kubernetes.kubeconfig, kubernetes.context)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise SettingsError.listing("this stack", problems)
    args = WorkloadArgs(
        kubeconfig=kubeconfig,
        kubectl=kubectl(kubernetes.kubeconfig, kubernetes.context),
        namespace=kubernetes.namespace,
        places=places(kubernetes, settings.capacity.worker_cpu_millicores),
        server_image=kubernetes.server_image,
        interface_image=kubernetes.interface_image,
        storage_class=kubernetes.runs_storage_class,
        runs_disk_gb=settings.capacity.runs_disk_gb,
        is_volume_kept=kubernetes.keep_runs_volume,
        is_cluster_owned=False,
        setting_names=SETTING_NAMES,
    )
    return declare_workload(settings, args).outputs


def places(kubernetes: KubernetesSettings, worker_cpu_millicores: int) -> dict[PodKind, Place]:
    """Nodes and size of each kind of pod; the training Job runs on the interface's node."""
    sizes: dict[PodKind, tuple[int, int, Mapping[str, str]]] = {
        "interface": (
            kubernetes.interface_cpu_millicores,
            kubernetes.interface_memory_mib,
            kubernetes.interface_node_selector,
        ),
        "training": (
            kubernetes.training_cpu_millicores,
            kubernetes.training_memory_mib,
            kubernetes.interface_node_selector,
        ),
        "master": (
            kubernetes.master_cpu_millicores,
            kubernetes.master_memory_mib,
            kubernetes.master_node_selector,
        ),
        "worker": (
            worker_cpu_millicores or DEFAULT_WORKER_CPU_MILLICORES,
            kubernetes.worker_memory_mib,
            kubernetes.worker_node_selector,
        ),
    }
    return {
        kind: Place(
            cpu_millicores=cpu_millicores,
            memory_mib=memory_mib,
            node_selector=node_selector,
            tolerations=kubernetes.tolerations,
        )
        for kind, (cpu_millicores, memory_mib, node_selector) in sizes.items()
    }


def kubectl(file: str, context: str) -> str:
    """The command that reaches the stack's cluster, whatever the ambient kubeconfig is."""
    return shlex.join(["kubectl", "--kubeconfig", str(_kubeconfig_path(file)), "--context", context])


def read_kubeconfig(file: str, context: str) -> str:
    """The kubeconfig's text with one context and what belongs to it alone.

    What the engine keeps leads to the same cluster later, whatever becomes of the file or its current
    context.

    Raises:
        ValueError: The file or the context does not exist; the message names the setting.
    """
    path = _kubeconfig_path(file)
    try:
        content: Any = yaml.safe_load(path.read_text())
        contexts: dict[str, Any] = {item["name"]: item["context"] for item in content["contexts"]}
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise ValueError(
            f"kubeconfig={file} is no kubeconfig ({error}). Run `pulumi config set kubeconfig <file>`."
        ) from error
    if context not in contexts:
        raise ValueError(
            f"context={context} is not in {path}, which has {', '.join(sorted(contexts)) or 'none'}. "
            "Run `pulumi config set context <name>`."
        )
    chosen = contexts[context]
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "contexts": [{"name": context, "context": chosen}],
            "current-context": context,
            "clusters": [item for item in content["clusters"] if item["name"] == chosen["cluster"]],
            "users": [item for item in content["users"] if item["name"] == chosen["user"]],
        }
    )


def _kubeconfig_path(file: str) -> Path:
    return PROJECT / Path(file).expanduser()
