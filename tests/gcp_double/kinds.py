"""The resource types that the double knows: identity, what forces a replacement, what the cloud fills in.

Clusters and node pools behave in ways of their own; see `clusters`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.gcp_double.cloud import PROJECT, REGION

Values = Mapping[str, Any]
_API = "https://www.googleapis.com/compute/v1"


def _filled(template: str, inputs: Values) -> str:
    return template.format(**({"project": PROJECT, "region": REGION} | dict(inputs)))


def _no_outputs(_inputs: Values) -> dict[str, Any]:
    return {}


def _no_use(_inputs: Values) -> dict[str, float]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One resource type.

    Attributes:
        service: API that must be enabled before the first call.
        id_template: Resource id, from the inputs and `project`.
        replaces: Inputs that cannot be changed in place.
        name_input: Input that is the physical name; given explicitly, a replacement deletes first.
        outputs: What the cloud adds to the inputs.
        use: Consumption by quota metric.
        needs: Ids of what must exist before, from the inputs and `project`.
    """

    service: str
    id_template: str
    replaces: tuple[str, ...] = ()
    name_input: str | None = "name"
    outputs: Callable[[Values], dict[str, Any]] = _no_outputs
    use: Callable[[Values], dict[str, float]] = _no_use
    needs: tuple[str, ...] = ()

    def id_of(self, inputs: Values) -> str:
        """The id that the cloud gives to a resource with these inputs."""
        return _filled(self.id_template, inputs)

    def needed_by(self, inputs: Values) -> list[str]:
        """Ids of what a resource with these inputs is attached to."""
        return [_filled(template, inputs) for template in self.needs]


def _self_link(path: str) -> Callable[[Values], dict[str, Any]]:
    def outputs(inputs: Values) -> dict[str, Any]:
        return {"selfLink": f"{_API}/{_filled(path, inputs)}", "project": PROJECT}

    return outputs


def _account(inputs: Values) -> dict[str, Any]:
    email = f"{inputs['accountId']}@{PROJECT}.iam.gserviceaccount.com"
    return {
        "email": email,
        "member": f"serviceAccount:{email}",
        "name": f"projects/{PROJECT}/serviceAccounts/{email}",
        "uniqueId": "100000000000000000001",
        "project": PROJECT,
    }


def _repository(inputs: Values) -> dict[str, Any]:
    return {
        "name": inputs["repositoryId"],
        "registryUri": f"{inputs['location']}-docker.pkg.dev/{PROJECT}/{inputs['repositoryId']}",
        "project": PROJECT,
    }


def _role(inputs: Values) -> dict[str, Any]:
    return {"name": f"projects/{PROJECT}/roles/{inputs['roleId']}", "project": PROJECT}


def _bucket(inputs: Values) -> dict[str, Any]:
    return {"url": f"gs://{inputs['name']}", "project": PROJECT}


_GRANT = ("role", "member", "condition")

KINDS: dict[str, Kind] = {
    "gcp:projects/service:Service": Kind(
        service="serviceusage", id_template="{project}/{service}", replaces=("service",), name_input=None
    ),
    "gcp:projects/iAMMember:IAMMember": Kind(
        service="cloudresourcemanager",
        id_template="{project}/{role}/{member}",
        replaces=_GRANT,
        name_input=None,
    ),
    "gcp:projects/iAMCustomRole:IAMCustomRole": Kind(
        service="iam",
        id_template="projects/{project}/roles/{roleId}",
        replaces=("roleId",),
        name_input="roleId",
        outputs=_role,
    ),
    "gcp:serviceaccount/account:Account": Kind(
        service="iam",
        id_template="projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com",
        replaces=("accountId",),
        name_input="accountId",
        outputs=_account,
    ),
    "gcp:serviceaccount/iAMMember:IAMMember": Kind(
        service="iam", id_template="{serviceAccountId}/{role}/{member}", replaces=_GRANT, name_input=None
    ),
    "gcp:compute/network:Network": Kind(
        service="compute",
        id_template="projects/{project}/global/networks/{name}",
        replaces=("name", "autoCreateSubnetworks", "description"),
        outputs=_self_link("projects/{project}/global/networks/{name}"),
        use=lambda _inputs: {"NETWORKS": 1},
    ),
    "gcp:compute/subnetwork:Subnetwork": Kind(
        service="compute",
        id_template="projects/{project}/regions/{region}/subnetworks/{name}",
        replaces=("name", "network", "region", "description"),
        outputs=_self_link("projects/{project}/regions/{region}/subnetworks/{name}"),
        needs=("{network}",),
    ),
    "gcp:compute/router:Router": Kind(
        service="compute",
        id_template="projects/{project}/regions/{region}/routers/{name}",
        replaces=("name", "network", "region"),
        outputs=_self_link("projects/{project}/regions/{region}/routers/{name}"),
        use=lambda _inputs: {"ROUTERS": 1},
        needs=("{network}",),
    ),
    "gcp:compute/routerNat:RouterNat": Kind(
        service="compute",
        id_template="{project}/{region}/{router}/{name}",
        replaces=("name", "router", "region"),
        use=lambda _inputs: {"IN_USE_ADDRESSES": 1},
        needs=("projects/{project}/regions/{region}/routers/{router}",),
    ),
    "gcp:artifactregistry/repository:Repository": Kind(
        service="artifactregistry",
        id_template="projects/{project}/locations/{location}/repositories/{repositoryId}",
        replaces=("repositoryId", "location", "format", "mode"),
        name_input=None,  # a moved repository was seen to be created before the old one was deleted
        outputs=_repository,
    ),
    "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember": Kind(
        service="artifactregistry",
        id_template="projects/{project}/locations/{location}/repositories/{repository}/{role}/{member}",
        needs=("projects/{project}/locations/{location}/repositories/{repository}",),
        replaces=(*_GRANT, "repository", "location"),
        name_input=None,
    ),
    "gcp:storage/bucket:Bucket": Kind(
        service="storage", id_template="{name}", replaces=("name", "location"), outputs=_bucket
    ),
    "gcp:storage/bucketIAMMember:BucketIAMMember": Kind(
        service="storage",
        id_template="b/{bucket}/{role}/{member}",
        replaces=(*_GRANT, "bucket"),
        name_input=None,
    ),
    "gcp:cloudscheduler/job:Job": Kind(
        service="cloudscheduler",
        id_template="projects/{project}/locations/{region}/jobs/{name}",
        replaces=("name", "region"),
        outputs=lambda _inputs: {"state": "ENABLED", "project": PROJECT},
    ),
}
