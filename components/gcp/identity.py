"""Service accounts of a stack, each with only the roles it needs.

Google's default accounts are not used: they may do too much in old projects and too little in new ones
(https://cloud.google.com/kubernetes-engine/docs/how-to/service-accounts).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

NODE_ROLES = ("roles/container.defaultNodeServiceAccount",)
"""Logs, metrics and what else GKE's nodes do; pulling images is granted on the stack's repository."""


@dataclass(frozen=True, kw_only=True)
class ServiceAccountArgs:
    """One account.

    Attributes:
        project: Id of the Google Cloud project.
        account_id: Id, 6 to 30 characters.
        display_name: What it is for, in a few words.
        description: Stands in the place of labels, which accounts cannot carry.
        project_roles: Roles on the whole project.
    """

    project: str
    account_id: str
    display_name: str
    description: pulumi.Input[str]
    project_roles: Sequence[pulumi.Input[str]] = ()


class ServiceAccount(pulumi.ComponentResource):
    """An account and its roles on the project.

    An account of that name that an interrupted `up` left behind is taken over: nobody else uses these names.
    """

    email: pulumi.Output[str]
    """E-mail address, once the roles are granted."""

    member: pulumi.Output[str]
    """The account as a member of a grant, whether or not its roles are there yet."""

    def __init__(
        self, name: str, args: ServiceAccountArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("tfcluster:index:GoogleServiceAccount", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        account = gcp.serviceaccount.Account(
            f"{name}-account",
            account_id=args.account_id,
            display_name=args.display_name,
            description=args.description,
            disabled=False,
            create_ignore_already_exists=True,
            opts=child,
        )
        self.member = account.member
        grants = [
            gcp.projects.IAMMember(
                f"{name}-role-{number}",
                project=args.project,
                role=role,
                member=account.member,
                opts=child,
            )
            for number, role in enumerate(args.project_roles)
        ]
        granted = pulumi.Output.all(account.email, *(grant.id for grant in grants))
        self.email = granted.apply(lambda values: values[0])
        self.register_outputs({"email": self.email, "member": self.member})
