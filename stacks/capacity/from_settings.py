"""The plan's request as the stack's settings have it."""

from stacks.capacity.plan import PodSize, Pool
from stacks.capacity.request import NodeSharing, PlanRequest
from stacks.settings import Settings


def plan_request(
    settings: Settings,
    stack: str,
    *,
    offered: frozenset[str] | None = None,
    running: tuple[Pool, ...] = (),
) -> PlanRequest:
    """What to plan for a stack with these settings.

    Args:
        settings: The stack's settings.
        stack: Its name.
        offered: Machine types that the zone offers; `None` where that wasn't read.
        running: Pools that the stack has now.
    """
    capacity, training, pods = settings.capacity, settings.training, settings.kubernetes
    return PlanRequest(
        stack=stack,
        zone=capacity.zone,
        workers=settings.servers_offered,
        vcpu_budget=capacity.vcpu_budget,
        fit=capacity.fit,
        machine_type=capacity.machine_type,
        node_sharing=NodeSharing(capacity.node_sharing),
        sizes={
            "interface": PodSize(pods.interface_cpu_millicores, pods.interface_memory_mib),
            "training": PodSize(pods.training_cpu_millicores, pods.training_memory_mib),
            "master": PodSize(pods.master_cpu_millicores, pods.master_memory_mib),
            "worker": PodSize(capacity.worker_cpu_millicores, pods.worker_memory_mib),
        },
        disk_type=capacity.disk_type,
        disk_gb=capacity.disk_gb,
        runs_disk_gb=capacity.runs_disk_gb,
        spot=capacity.spot,
        max_surge=capacity.max_surge,
        private_nodes=capacity.private_nodes,
        cloud_logging=capacity.cloud_logging,
        batch_size=training.batch_size,
        steps=training.steps,
        sync_period=training.sync_period,
        offered=offered,
        running=running,
    )
