"""What the stack's things are called in Google Cloud, and the labels by which they are found again.

Names are the same on every `up`, so that what an interrupted one left behind can be recognised. Pure.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

CLUSTER_LIMIT = 40
"""https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters"""

SERVICE_ACCOUNT_LIMIT = 30
"""At least 6 are needed: https://cloud.google.com/iam/docs/reference/rest/v1/projects.serviceAccounts/create"""

LABEL_LIMIT = 63
"""https://cloud.google.com/compute/docs/labeling-resources#requirements"""

PROJECT_LABEL, STACK_LABEL, OWNER_LABEL = "pulumi-project", "pulumi-stack", "tfcluster-owner"


@dataclass(frozen=True, kw_only=True)
class Names:
    """Physical names of one stack's things.

    Attributes:
        project: Name of the Pulumi project.
        stack: Name of the Pulumi stack, 1 to 100 letters, digits, `-`, `_` or `.`.
    """

    project: str
    stack: str

    @property
    def base(self) -> str:
        """Name of everything there is one of: cluster, network, router, repository and so on.

        Nothing but service accounts has a name with an ending: ``x-nat`` of stack ``x`` would be taken for
        something of stack ``x-nat``.
        """
        return fitted(self.project, self.stack, "", CLUSTER_LIMIT)

    @property
    def node_account(self) -> str:
        """Id of the service account of the nodes."""
        return fitted(self.project, self.stack, "nodes", SERVICE_ACCOUNT_LIMIT)

    @property
    def builder_account(self) -> str:
        """Id of the service account of the image builds."""
        return fitted(self.project, self.stack, "build", SERVICE_ACCOUNT_LIMIT)

    @property
    def reaper_account(self) -> str:
        """Id of the service account that may delete the cluster."""
        return fitted(self.project, self.stack, "reap", SERVICE_ACCOUNT_LIMIT)

    def accounts(self) -> list[str]:
        """Ids of all service accounts, for the inventory."""
        return [self.node_account, self.builder_account, self.reaper_account]

    def labels(self) -> dict[str, str]:
        """Labels of everything that can carry labels."""
        return {PROJECT_LABEL: label_value(self.project), STACK_LABEL: label_value(self.stack)}

    def description(self) -> str:
        """Stands in the place of labels where Google allows none."""
        return f"TensorFlow cluster of stack {self.stack} of project {self.project}; made by Pulumi"


def role_id(owner: str) -> str:
    """Id of the custom role of a stack's life.

    A deleted role's id stays taken for weeks, so each life of a stack has another one.
    """
    return f"tfcluster_reaper_{owner}"


def bucket_name(google_project: str, owner: str) -> str:
    """Name of the bucket for build contexts; bucket names are one space for the whole world."""
    return f"{google_project[:40].replace(':', '-').replace('.', '-')}-tfcluster-{owner}"


def fitted(project: str, stack: str, suffix: str, limit: int) -> str:
    """A name of lower-case letters, digits and hyphens that begins with a letter.

    Where characters had to be changed or left out, five digits of a hash keep two stacks' names apart.

    Args:
        project: Name of the Pulumi project.
        stack: Name of the Pulumi stack.
        suffix: What the thing is, or empty.
        limit: Most characters; at least 14.
    """
    plain = f"{project}-{stack}"
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if not slug[:1].isalpha():
        slug = f"s-{slug}"
    ending = f"-{suffix}" if suffix else ""
    if slug == plain and len(slug) + len(ending) <= limit:
        return slug + ending
    digits = hashlib.sha256(plain.encode()).hexdigest()[:5]
    room = limit - len(ending) - len(digits) - 1
    return f"{slug[:room].rstrip('-')}-{digits}{ending}"


def label_value(text: str) -> str:
    """The text as a label's value; unchanged where it may be one."""
    if re.fullmatch(rf"[a-z0-9_-]{{1,{LABEL_LIMIT}}}", text):
        return text
    digits = hashlib.sha256(text.encode()).hexdigest()[:5]
    return f"{re.sub(r'[^a-z0-9_-]', '-', text.lower())[: LABEL_LIMIT - 6]}-{digits}"


def owned(labels: Mapping[str, str], owner: pulumi.Input[str]) -> dict[str, pulumi.Input[str]]:
    """Labels of a stack's life: the stack's, and whose life it is."""
    return {**labels, OWNER_LABEL: owner}
