"""What of a stack still exists in Google Cloud: looked for kind by kind, whatever made it.

Not everything carries a label: Google labels neither networks nor routers nor service accounts, and what GKE
makes for a cluster carries GKE's own. So a thing belongs to the stack by its label, by its name, by the
cluster it was made for, or by the network it is attached to.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from provider.gcp.refusals import CredentialsError, GoogleError, NotFoundError, ServiceDisabledError
from provider.gcp.rest import Google

Thing = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Belongings:
    """By what a thing is known to be the stack's.

    Attributes:
        labels: Labels that everything labelled carries; all must match.
        name: Name of everything it has one of: cluster, network, router, repository and so on.
        accounts: Ids of its service accounts.
        zone: Zone of its cluster.
        region: Region of its repository.
    """

    labels: Mapping[str, str]
    name: str
    accounts: frozenset[str]
    zone: str
    region: str

    def include(self, thing: Thing) -> bool:
        """Whether a thing, as the compute API describes it, is the stack's."""
        labels: Mapping[str, str] = thing.get("labels", {})
        by_label = bool(self.labels) and self.labels.items() <= labels.items()
        location = labels.get("goog-k8s-cluster-location", self.zone)
        by_cluster = labels.get("goog-k8s-cluster-name") == self.name and location == self.zone
        name = str(thing.get("name", ""))
        by_name = name == self.name or re.match(rf"gke-{self.name}-[0-9a-f]{{8}}-", name) is not None
        attached = [thing, *thing.get("networkInterfaces", ())]
        by_network = any(_last(one.get("network", "")) == self.name for one in attached)
        by_user = any(_last(user) == self.name for user in thing.get("users", ()))
        return by_label or by_cluster or by_name or by_network or by_user


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One thing that still exists.

    Attributes:
        kind: What it is, in words.
        name: Its name, with its place where it has one.
        remedy: Command that deletes it.
    """

    kind: str
    name: str
    remedy: str

    def __str__(self) -> str:
        """One line for the user."""
        return f"{self.kind} {self.name}: `{self.remedy}`"


@dataclass(frozen=True)
class Found:
    """Result of a look at everything: what is there, and what could not be looked at."""

    leftovers: tuple[Leftover, ...]
    unseen: tuple[str, ...]


_COMPUTE_KINDS = {
    # collection of the compute API: (what it is, gcloud's word, listed over all places at once)
    "instances": ("instance", "instances", True),
    "disks": ("disk", "disks", True),
    "instanceGroups": ("instance group", "instance-groups managed", True),
    "forwardingRules": ("forwarding rule", "forwarding-rules", True),
    "addresses": ("address", "addresses", True),
    "routers": ("router", "routers", True),
    "firewalls": ("firewall rule", "firewall-rules", False),
    "networks": ("network", "networks", False),
}


def find_leftovers(google: Google, belongings: Belongings) -> Found:
    """Look for everything of a stack that costs money, or that would be in the way of its next `up`.

    Raises:
        CredentialsError: Nothing can be looked at.
    """
    looks: dict[str, Callable[[], Iterator[Leftover]]] = {
        kind: lambda collection=collection: _compute(google, belongings, collection)
        for collection, (kind, _, _) in _COMPUTE_KINDS.items()
    }
    looks |= {
        "cluster": lambda: _cluster(google, belongings),
        "image repository": lambda: _repository(google, belongings),
        "service account": lambda: _service_accounts(google, belongings),
        "bucket": lambda: _buckets(google, belongings),
    }
    leftovers: list[Leftover] = []
    unseen: list[str] = []
    for kind, look in looks.items():
        try:
            leftovers += look()
        except (NotFoundError, ServiceDisabledError):
            continue  # nothing of a kind can exist where its API is off
        except CredentialsError:
            raise
        except GoogleError as error:
            unseen.append(f"{kind}s: {error}")
    return Found(tuple(leftovers), tuple(unseen))


def _compute(google: Google, belongings: Belongings, collection: str) -> Iterator[Leftover]:
    kind, word, is_aggregated = _COMPUTE_KINDS[collection]
    path = f"/compute/v1/projects/{{project}}/{'aggregated' if is_aggregated else 'global'}/{collection}"
    for page in google.pages("compute", path, maxResults="500"):
        items: Any = page.get("items", {})
        scopes: Mapping[str, Any] = items if is_aggregated else {"": {collection: items}}
        for scope, found in scopes.items():
            for thing in filter(belongings.include, found.get(collection, ())):
                command = f"gcloud compute {word} delete {thing['name']}{_place_flag(scope)}"
                yield Leftover(
                    kind=kind,
                    name=f"{scope.partition('/')[2]}/{thing['name']}".lstrip("/"),
                    remedy=f"{command} --project {google.project}",
                )


def _place_flag(scope: str) -> str:
    """The flag for a scope such as ``zones/us-central1-a`` or ``global``; none for what has no places."""
    level, _, place = scope.partition("/")
    return {"zones": f" --zone {place}", "regions": f" --region {place}", "global": " --global"}.get(
        level, ""
    )


def _cluster(google: Google, belongings: Belongings) -> Iterator[Leftover]:
    name, zone = belongings.name, belongings.zone
    google.get("container", f"/v1/projects/{{project}}/locations/{zone}/clusters/{name}")
    remedy = f"gcloud container clusters delete {name} --zone {zone} --project {google.project}"
    yield Leftover(kind="cluster", name=f"{zone}/{name}", remedy=remedy)


def _repository(google: Google, belongings: Belongings) -> Iterator[Leftover]:
    listed = google.pages(
        "artifactregistry", f"/v1/projects/{{project}}/locations/{belongings.region}/repositories"
    )
    for repository in (entry for page in listed for entry in page.get("repositories", ())):
        name = _last(repository["name"])
        if name == belongings.name:
            place = f"--location {belongings.region} --project {google.project}"
            remedy = f"gcloud artifacts repositories delete {name} {place}"
            yield Leftover(kind="image repository", name=f"{belongings.region}/{name}", remedy=remedy)


def _service_accounts(google: Google, belongings: Belongings) -> Iterator[Leftover]:
    for page in google.pages("iam", "/v1/projects/{project}/serviceAccounts", pageSize="100"):
        for account in page.get("accounts", ()):
            email = str(account["email"])
            if email.partition("@")[0] in belongings.accounts:
                remedy = f"gcloud iam service-accounts delete {email} --project {google.project}"
                yield Leftover(kind="service account", name=email, remedy=remedy)


def _buckets(google: Google, belongings: Belongings) -> Iterator[Leftover]:
    for page in google.pages("storage", "/storage/v1/b", project=google.project):
        for bucket in page.get("items", ()):
            if belongings.labels.items() <= bucket.get("labels", {}).items():
                remedy = f"gcloud storage rm --recursive gs://{bucket['name']}"
                yield Leftover(kind="bucket", name=bucket["name"], remedy=remedy)


def _last(path: str) -> str:
    return path.rpartition("/")[2]
