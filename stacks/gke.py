"""The `gke` target: a zonal cluster that fits its quotas, and in it the same pods as in any other cluster."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pulumi

from components.gcp.cluster_guard import ClusterGuard, ClusterGuardArgs
from components.gcp.kubeconfig import kubeconfig
from components.gcp.names import Names
from components.gcp.services import retry_just_enabled
from components.kubernetes.pod import Place
from components.kubernetes.storage import OwnClass
from stacks.capacity import report
from stacks.capacity.plan import TAINT_KEY, Plan, Pod
from stacks.gke_cluster import ReadyCluster, declare_cluster
from stacks.google_account import GoogleAccount, plan_for, read_account
from stacks.leftover_cluster import make_way_for_cluster
from stacks.settings import Settings, SettingsError
from stacks.topology import Role
from stacks.workload import WorkloadArgs, declare_workload

SETTING_NAMES: Mapping[str, Mapping[str, str]] = {
    role: {
        "cpu": "workerCpuMillicores" if role == str(Role.WORKER) else "machineType",
        "memory": "machineType",
        "nodes": "machineType",
        "tolerations": "nodeSharing",
        "image": "imageBuilder",
    }
    for role in (str(Role.INTERFACE), "training", str(Role.MASTER), str(Role.WORKER))
} | {"runs": {"storageClass": "diskType"}}
"""Setting that a message about a pod of a role names, by matter."""

TOLERATION = {"key": TAINT_KEY, "operator": "Equal", "value": "true", "effect": "NoSchedule"}


def declare(settings: Settings) -> dict[str, pulumi.Input[Any]]:
    """Declare cluster and workload; return the stack's outputs by name.

    Raises:
        SettingsError: Account or settings cannot be used, or the plan does not fit; nothing has been
        declared.
    """
    names = Names(project=pulumi.get_project(), stack=pulumi.get_stack())
    plan = checked_plan(settings, names.stack, read_account(settings, names.stack))
    settings = fitted(settings, plan)
    if pulumi.runtime.is_dry_run():
        pulumi.log.info(report.text(plan))
    retry_just_enabled()
    make_way_for_cluster(settings.gke.project, plan.zone, names.base)
    cluster = declare_cluster(settings, names, plan)
    access = pulumi.Output.secret(cluster.endpoint.apply(kubeconfig))
    workload = declare_workload(
        settings,
        workload_args(settings, plan, cluster, access),
        pulumi.ResourceOptions(depends_on=[cluster.pools]),
    )
    ClusterGuard(
        "guard",
        ClusterGuardArgs(
            project=settings.gke.project,
            zone=plan.zone,
            cluster_name=names.base,
            protect_cluster=settings.gke.protect_cluster,
        ),
        pulumi.ResourceOptions(depends_on=[workload.last]),
    )
    return workload.outputs | {
        "kubeconfig": access,
        "saveKubeconfig": save_kubeconfig(names.stack),
        "cluster": f"{plan.zone}/{names.base}",
        "deleteAt": cluster.delete_at,
        "dollarsPerHour": round(plan.cost.dollars_per_hour, 4),
        "dollarsPerRun": round(plan.cost.run_dollars, 4),
    }


def checked_plan(settings: Settings, stack: str, account: GoogleAccount) -> Plan:
    """The plan, if account, images and plan have nothing against it.

    Raises:
        SettingsError: They have; the message lists everything.
    """
    answer = plan_for(settings, stack, account)
    problems = account.problems
    if isinstance(answer, Plan) and not problems:
        return answer
    listed = str(SettingsError.listing(f"stack {stack} (stacks/Pulumi.{stack}.yaml)", problems))
    raise SettingsError(listed if isinstance(answer, Plan) else f"{listed}\n\n{report.text(answer)}")


def fitted(settings: Settings, plan: Plan) -> Settings:
    """The settings with as many workers as are planned: fewer than asked for where `fit` took them away."""
    if settings.workers == "auto":
        return dataclasses.replace(
            settings, workers_max=plan.workers, workers_min=min(settings.workers_min, plan.workers)
        )
    return dataclasses.replace(settings, workers=plan.workers)


def kubeconfig_file(stack: str) -> str:
    """Where the commands for people look for the access to the cluster, from the project's folder."""
    return f"build/{stack}.kubeconfig"


def save_kubeconfig(stack: str) -> str:
    """The command that puts it there; there is no secret in it."""
    file = kubeconfig_file(stack)
    return f"mkdir -p build && pulumi stack output kubeconfig --show-secrets --stack {stack} > {file}"


def workload_args(
    settings: Settings, plan: Plan, cluster: ReadyCluster, access: pulumi.Output[str]
) -> WorkloadArgs:
    """What this cluster is like for the workload."""
    return WorkloadArgs(
        kubeconfig=access,
        kubectl=f"kubectl --kubeconfig {kubeconfig_file(pulumi.get_stack())}",
        namespace=settings.kubernetes.namespace,
        places={pod.kind: place(pod) for pod in plan.layout.pods},
        server_image=cluster.images["server"],
        interface_image=cluster.images["interface"],
        storage_class=runs_class(plan, cluster),
        cluster_identifier=cluster.id,
        runs_disk_gb=plan.layout.runs_disk.size_gb,
        is_volume_kept=False,
        is_cluster_owned=True,
        setting_names=SETTING_NAMES,
    )


def runs_class(plan: Plan, cluster: ReadyCluster) -> OwnClass:
    """Volumes of the planned disk type, with the stack's labels on the disk itself."""
    labels = [pulumi.Output.concat(key, "=", value) for key, value in cluster.labels.items()]
    return OwnClass(
        name="tfcluster-runs",
        provisioner="pd.csi.storage.gke.io",
        parameters={
            "type": plan.layout.runs_disk.type,
            "labels": pulumi.Output.all(*labels).apply(",".join),
        },
    )


def place(pod: Pod) -> Place:
    """A planned pod's size and nodes in the component's words."""
    return Place(
        cpu_millicores=pod.cpu_millicores,
        memory_mib=pod.memory_mib,
        node_selector=pod.node_selector,
        tolerations=[TOLERATION] if pod.tolerates_taint else [],
    )
