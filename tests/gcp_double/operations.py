"""Create, update, delete and read of any resource on the double's cloud."""

from collections.abc import Mapping
from typing import Any

from tests.gcp_double import clusters
from tests.gcp_double.cloud import PROJECT, CloudError, State, not_enabled
from tests.gcp_double.kinds import KINDS

Values = Mapping[str, Any]

REPLACES = {
    clusters.CLUSTER: clusters.CLUSTER_REPLACES,
    clusters.NODE_POOL: clusters.NODE_POOL_REPLACES,
    **{token: kind.replaces for token, kind in KINDS.items()},
}
_NETWORK = "gcp:compute/network:Network"
_SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
_ACCOUNT = "gcp:serviceaccount/account:Account"
_SERVICE = "gcp:projects/service:Service"


def name_input(token: str) -> str | None:
    """The input that names a resource of this type, or None."""
    return KINDS[token].name_input if token in KINDS else "name"


def create(state: State, token: str, inputs: Values) -> tuple[str, dict[str, Any]]:
    """Make a resource; return its id and outputs.

    Raises:
        CloudError: The API refuses.
        InitialisationError: It exists, but something failed afterwards.
    """
    _fail_on_purpose(state, "create", token)
    if token == clusters.CLUSTER:
        state.require_service("container")
        return clusters.create_cluster(state, inputs)
    if token == clusters.NODE_POOL:
        return clusters.create_node_pool(state, inputs)
    kind = KINDS[token]
    state.require_service(kind.service)
    state.require(*kind.needed_by(inputs), *_accounts_in(inputs))
    resource_id = kind.id_of(inputs)
    outputs = {**inputs, **kind.outputs(inputs)}
    if resource_id in state.objects and kind.name_input is not None:
        if token == _ACCOUNT and inputs.get("createIgnoreAlreadyExists"):
            return resource_id, outputs
        raise CloudError(f"googleapi: Error 409: Resource {resource_id} already exists., alreadyExists")
    state.occupy(resource_id, kind.use(inputs))
    if token == _SERVICE:
        state.enabled.append(str(inputs["service"]).removesuffix(".googleapis.com"))
    state.objects[resource_id] = {"kind": token, "inputs": dict(inputs), "outputs": outputs}
    return resource_id, outputs


def update(state: State, token: str, resource_id: str, old: Values, new: Values) -> dict[str, Any]:
    """Change a resource in place; return its outputs.

    Raises:
        CloudError: The API refuses, or the resource is gone.
    """
    _fail_on_purpose(state, "update", token)
    if resource_id not in state.objects:
        raise CloudError(f"googleapi: Error 404: Not found: {resource_id}., notFound")
    if token == clusters.NODE_POOL:
        return clusters.update_node_pool(state, resource_id, old, new)
    outputs = merged(state.objects[resource_id]["outputs"], new)
    state.objects[resource_id] |= {"inputs": dict(new), "outputs": outputs}
    return outputs


def delete(state: State, token: str, resource_id: str, old: Values) -> None:
    """Delete a resource; one that is gone already is no error.

    Raises:
        CloudError: The API refuses, for one because something else still uses the resource.
    """
    _fail_on_purpose(state, "delete", token)
    if token == clusters.CLUSTER:
        clusters.delete_cluster(state, resource_id, old)
        return
    users = [other for other in state.objects if _uses(state, other, token, resource_id)]
    if users:
        raise CloudError(
            f"googleapi: Error 400: The resource '{resource_id}' is already being used by '{users[0]}',"
            " resourceInUseByAnotherResource"
        )
    for gone in [key for key in state.objects if key == resource_id or _belongs_to(key, resource_id)]:
        state.release(gone)
        del state.objects[gone]


def read(state: State, resource_id: str, inputs: Values) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Outputs and inputs as the cloud has them now, or None where the resource is gone."""
    found = state.objects.get(resource_id)
    if found is None:
        return None
    return found["outputs"], {key: found["outputs"].get(key, value) for key, value in inputs.items()}


def merged(old: Values, new: Values) -> dict[str, Any]:
    """The old values with the new ones put in; what only the cloud knows stays."""
    return {
        key: merged(old[key], new[key])
        if isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping)
        else new.get(key, old.get(key))
        for key in {**old, **new}
    }


def _accounts_in(inputs: Values) -> list[str]:
    """Ids of the service accounts that a grant or a scheduled call names."""
    token = (inputs.get("httpTarget") or {}).get("oauthToken") or {}
    named = [
        str(inputs.get("member", "")).removeprefix("serviceAccount:"),
        token.get("serviceAccountEmail", ""),
    ]
    return [f"projects/{PROJECT}/serviceAccounts/{email}" for email in named if email]


def _belongs_to(other: str, resource_id: str) -> bool:
    """Whether it is a grant on a repository or a bucket, which goes with it."""
    return other.startswith((f"{resource_id}/", f"b/{resource_id}/"))


def _fail_on_purpose(state: State, operation: str, token: str) -> None:
    if state.take_fault(operation, token, "not-enabled"):
        service = KINDS[token].service if token in KINDS else "container"
        raise CloudError(not_enabled(service))
    fault = state.take_fault(operation, token, "refused")
    if fault is not None:
        raise CloudError(fault.message)


def _uses(state: State, other: str, token: str, resource_id: str) -> bool:
    field = {_NETWORK: "network", _SUBNETWORK: "subnetwork"}.get(token)
    if field is None or other == resource_id:
        return False
    return str(state.objects[other]["inputs"].get(field, "")).endswith(f"/{resource_id.rpartition('/')[2]}")
