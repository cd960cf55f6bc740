"""A cluster that an interrupted `up` left behind is made way with, right before its successor is created.

The engine is about to create the cluster, so the state has none. One that exists all the same, and carries
the label of this very life of the stack, was accepted by Google after the engine had been told to stop:
nothing runs on it yet. Any other cluster of that name is somebody's, and is left alone.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pulumi

from components.gcp.names import OWNER_LABEL
from provider.gcp.clusters import Cluster, cluster_path, find_cluster, start_deletion
from provider.gcp.rest import Google

CLUSTER = "gcp:container/cluster:Cluster"
DEADLINE_S = 1800.0
POLL_S, LINE_PERIOD_S = 5.0, 30.0


class LeftoverClusterError(pulumi.RunError):
    """A cluster of the planned name exists, and may not or could not be deleted."""


def make_way_for_cluster(project: str, zone: str, name: str) -> None:
    """Let every cluster that is about to be created find its place free; to be called before it is declared.

    Args:
        project: Id of the Google Cloud project.
        zone: Zone of the cluster.
        name: Name of the cluster.
    """

    async def make_way(args: pulumi.ResourceHookArgs) -> None:
        google = await asyncio.to_thread(Google, project)
        found = await asyncio.to_thread(find_cluster, google, zone, name)
        if found is None:
            return
        check_ownership(found, _labels(args), zone)
        pulumi.log.warn(
            f"cluster {name} in {zone} was left behind by an interrupted `up`; it is deleted before it is"
            " made anew"
        )
        await _deleted(google, zone, name)

    binding = pulumi.ResourceHookBinding(
        before_create=[pulumi.ResourceHook("make-way-for-cluster", make_way)]
    )

    def add_hook(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != CLUSTER:
            return None
        opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(hooks=binding))
        return pulumi.ResourceTransformResult(props=args.props, opts=opts)

    pulumi.runtime.register_resource_transform(add_hook)


def check_ownership(found: Cluster, labels: Mapping[str, str], zone: str) -> None:
    """See that a cluster that is in the way is of the same life of the same stack.

    Args:
        found: The cluster that exists.
        labels: Labels of the cluster that is to be created.
        zone: Zone of both.

    Raises:
        LeftoverClusterError: It is somebody else's.
    """
    owner = found.labels.get(OWNER_LABEL)
    if owner is None or owner != labels.get(OWNER_LABEL):
        whose = f"another stack's ({OWNER_LABEL}={owner})" if owner else "not made by this project"
        raise LeftoverClusterError(
            f"a cluster {found.name} exists in {zone} already, and it is {whose}: nothing was changed. If"
            f" nobody needs it, run `gcloud container clusters delete {found.name} --zone {zone}`; otherwise"
            " give this stack another name with `pulumi stack rename`."
        )


async def _deleted(google: Google, zone: str, name: str) -> None:
    started = last_line = time.monotonic()
    while (found := await asyncio.to_thread(find_cluster, google, zone, name)) is not None:
        now = time.monotonic()
        if now - started > DEADLINE_S:
            raise LeftoverClusterError(
                f"cluster {name} in {zone} is still {found.status} after {DEADLINE_S:g} s. Delete it with"
                f" `gcloud container clusters delete {name} --zone {zone}`, then run `pulumi up` again."
            )
        if now - last_line > LINE_PERIOD_S:
            last_line = now
            pulumi.log.info(
                f"waiting for the deletion of cluster {name} ({now - started:.0f} s): {found.status}"
            )
        if found.status not in ("STOPPING", "PROVISIONING"):
            await asyncio.to_thread(start_deletion, google, zone, cluster_path(zone, name))
        await asyncio.sleep(POLL_S)


def _labels(args: pulumi.ResourceHookArgs) -> Mapping[str, str]:
    inputs: Mapping[str, Any] = args.new_inputs or {}
    return inputs.get("resourceLabels", {})
