"""Deletes the cluster on Google's side when its time is up, even if the machine that made it is gone.

A scheduled call of the container API, made with an account that may delete clusters of the project and
nothing else. The schedule is a cron expression in UTC, whose yearly repetition finds no cluster any more.
What is not the cluster stays until `pulumi destroy`: network, images, bucket and the volume with the runs,
which cost little. Not tried against a live account.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp

from components.gcp.identity import ServiceAccount, ServiceAccountArgs
from components.gcp.names import role_id

PERMISSIONS = ("container.clusters.delete",)


@dataclass(frozen=True, kw_only=True)
class DeadManSwitchArgs:
    """What is deleted, and when.

    Attributes:
        project: Id of the Google Cloud project.
        region: Region in which the call is scheduled.
        zone: Zone of the cluster.
        name: Name of the cluster, and of the scheduled call.
        account_id: Id of the service account that makes the call.
        owner: The stack's life, in the id of the role that it gets.
        description: Stands in the place of labels, which none of this can carry.
        ttl_hours: Hours that the cluster may live from now; 1 or more.
    """

    project: str
    region: str
    zone: str
    name: str
    account_id: str
    owner: pulumi.Output[str]
    description: pulumi.Input[str]
    ttl_hours: int


class DeadManSwitch(pulumi.ComponentResource):
    """The cluster's end, arranged before its beginning.

    Creates the moment (a resource of the project's own, so that it stays the same), an account, a role with
    one permission, and the scheduled call. To be declared before the cluster: a creation that is cut short is
    covered too.
    """

    delete_at: pulumi.Output[str]
    """The moment in UTC, in ISO form, once the call is scheduled."""

    def __init__(
        self, name: str, args: DeadManSwitchArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("tfcluster:index:DeadManSwitch", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        deadline = _Deadline(f"{name}-deadline", {"ttlHours": args.ttl_hours}, child)
        role = gcp.projects.IAMCustomRole(
            f"{name}-role",
            role_id=args.owner.apply(role_id),
            title="May delete clusters, for the dead-man switch",
            description=args.description,
            permissions=list(PERMISSIONS),
            stage="GA",
            opts=child,
        )
        account = ServiceAccount(
            f"{name}-account",
            ServiceAccountArgs(
                project=args.project,
                account_id=args.account_id,
                display_name="Deletes the cluster when its time is up",
                description=args.description,
                project_roles=[role.name],
            ),
            child,
        )
        job = gcp.cloudscheduler.Job(
            f"{name}-call",
            name=args.name,
            region=args.region,
            description=args.description,
            schedule=deadline.schedule,
            time_zone="Etc/UTC",
            attempt_deadline="180s",
            paused=False,
            retry_config=retries(),
            http_target=call(args, account.email),
            opts=child,
        )
        scheduled = pulumi.Output.all(deadline.deleteAt, job.id)
        self.delete_at = scheduled.apply(lambda values: values[0])
        self.register_outputs({"deleteAt": self.delete_at})


def call(args: DeadManSwitchArgs, account: pulumi.Input[str]) -> gcp.cloudscheduler.JobHttpTargetArgsDict:
    """The call that deletes the cluster."""
    cluster = f"projects/{args.project}/locations/{args.zone}/clusters/{args.name}"
    return {
        "http_method": "DELETE",
        "uri": f"https://container.googleapis.com/v1/{cluster}",
        "oauth_token": {
            "service_account_email": account,
            "scope": "https://www.googleapis.com/auth/cloud-platform",
        },
    }


def retries() -> gcp.cloudscheduler.JobRetryConfigArgsDict:
    """Tries again for about an hour: a cluster that is being changed refuses to be deleted meanwhile."""
    return {
        "retry_count": 5,
        "min_backoff_duration": "120s",
        "max_backoff_duration": "1800s",
        "max_doublings": 4,
        "max_retry_duration": "0s",
    }


class _Deadline(pulumi.CustomResource):
    schedule: pulumi.Output[str]
    deleteAt: pulumi.Output[str]  # noqa: N815 -- the engine's name of the output

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        outputs = {"schedule": None, "deleteAt": None}
        super().__init__("tfcluster:index:Deadline", name, {**inputs, **outputs}, opts)
