"""The plug-in process that answers the engine in the place of the Kubernetes provider.

It keeps objects in the double's cloud, where they live and die with the cluster. A cluster that is gone is
unreachable, and its objects are dropped only where `PULUMI_K8S_DELETE_UNREACHABLE` says so.
"""

import os
from pathlib import Path
from typing import Any

from pulumi.provider.experimental import provider as api

from provider.properties import unknown
from tests.gcp_double import claims
from tests.gcp_double.cloud import ENVIRONMENT_VARIABLE, Cloud, CloudError, State
from tests.gcp_double.diff import changed_paths, forcing
from tests.gcp_double.serving import serve
from tests.gcp_double.wire import plain_map, token_of, wired_map, with_secrets

_REPLACES = (
    "metadata.name",
    "metadata.namespace",
    "spec.selector",
    "spec.serviceName",
    "provisioner",
    "parameters",
)
_CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"


class DoubleOfKubernetes(api.Provider):
    """Keeps Kubernetes objects in the file of the cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    async def diff_config(self, request: api.DiffRequest) -> api.DiffResponse:
        """Replace the provider, and so every object, when another cluster is named, as the real one does."""
        named = [values.get("clusterIdentifier") for values in (request.old_state, request.new_inputs)]
        is_another = None not in named and named[0] != named[1]
        # the SDK's answer says neither "changed" nor "unchanged", which the engine then finds out for itself
        return api.DiffResponse(replaces=["clusterIdentifier"] if is_another else [])

    async def diff(self, request: api.DiffRequest) -> api.DiffResponse:
        """Compare field by field; a renamed object is deleted first, as its name is explicit."""
        paths = changed_paths(plain_map(request.old_state), plain_map(request.new_inputs))
        fixed = (*_REPLACES, "spec") if token_of(request) == _CLAIM else _REPLACES
        replaces = forcing(paths, fixed)
        kind = api.PropertyDiffKind
        details = {
            path: api.PropertyDiff(kind.UPDATE_REPLACE if path in replaces else kind.UPDATE, True)
            for path in paths
        }
        return api.DiffResponse(
            changes=bool(paths),
            replaces=replaces,
            delete_before_replace=bool(replaces),
            diffs=paths,
            detailed_diff=details,
        )

    async def create(self, request: api.CreateRequest) -> api.CreateResponse:
        """Make an object in the cluster."""
        if request.preview:
            return api.CreateResponse("", {**unknown({"status"}), **request.properties})
        inputs = plain_map(request.properties)
        with self.cloud.open() as state:
            state.events.append(f"create {token_of(request)} {request.name}")
            _reach(state)
            state.in_cluster[_key(inputs)] = inputs
            if token_of(request) == _CLAIM:
                claims.make_disk(state, _key(inputs), inputs)
        return api.CreateResponse(_key(inputs), with_secrets(inputs, request.properties))

    async def update(self, request: api.UpdateRequest) -> api.UpdateResponse:
        """Change an object."""
        if request.preview:
            return api.UpdateResponse({**request.olds, **request.news})
        inputs = plain_map(request.news)
        with self.cloud.open() as state:
            state.events.append(f"update {token_of(request)} {request.name}")
            _reach(state)
            state.in_cluster[_key(inputs)] = inputs
        return api.UpdateResponse(with_secrets(inputs, request.news))

    async def delete(self, request: api.DeleteRequest) -> None:
        """Delete an object."""
        with self.cloud.open() as state:
            state.events.append(f"delete {token_of(request)} {request.name}")
            if state.has_cluster or os.environ.get("PULUMI_K8S_DELETE_UNREACHABLE") != "true":
                _reach(state)
            state.in_cluster.pop(request.resource_id, None)
            if state.has_cluster:
                claims.release_disk(state, request.resource_id)

    async def read(self, request: api.ReadRequest) -> api.ReadResponse:
        """What is in the cluster now."""
        state = self.cloud.read()
        if not state.has_cluster and os.environ.get("PULUMI_K8S_DELETE_UNREACHABLE") == "true":
            return api.ReadResponse("")
        _reach(state)
        found = state.in_cluster.get(request.resource_id)
        if found is None:
            return api.ReadResponse("")
        return api.ReadResponse(request.resource_id, wired_map(found), wired_map(found))


def _reach(state: State) -> None:
    if not state.has_cluster:
        raise CloudError("configured Kubernetes cluster is unreachable: no such host")


def _key(inputs: dict[str, Any]) -> str:
    metadata = inputs["metadata"]
    return f"{inputs['kind']}/{metadata.get('namespace', '')}/{metadata['name']}"


if __name__ == "__main__":
    serve(DoubleOfKubernetes(Cloud(Path(os.environ[ENVIRONMENT_VARIABLE]))), "4.34.2")
