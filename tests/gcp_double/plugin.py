"""The plug-in process: answers the engine in the place of the GCP provider.

The file of the cloud comes from the environment variable `GCP_DOUBLE_CLOUD`. Previews ask the cloud nothing,
and cancelling changes nothing: the real provider waits for the call under way.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

from pulumi.provider.experimental import provider as api

from provider.properties import PropertyMap, plain, unknown, wire
from tests.gcp_double import lookups, operations
from tests.gcp_double.cloud import Cloud, State
from tests.gcp_double.diff import changed_paths, forcing
from tests.gcp_double.serving import serve

ENVIRONMENT_VARIABLE = "GCP_DOUBLE_CLOUD"
_COMPUTED_IN_PREVIEW = ("selfLink", "email", "member", "name", "registryUri", "endpoint", "masterAuth", "url")


class DoubleOfGcp(api.Provider):
    """Keeps resources in the file of the cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    async def diff(self, request: api.DiffRequest) -> api.DiffResponse:
        """Compare as a bridged provider: what is left out is not compared."""
        paths = changed_paths(_plain(request.old_state), _plain(request.new_inputs))
        replaces = forcing(paths, operations.REPLACES.get(_token(request), ()))
        named = operations.name_input(_token(request))
        details = {
            path: api.PropertyDiff(
                api.PropertyDiffKind.UPDATE_REPLACE if path in replaces else api.PropertyDiffKind.UPDATE, True
            )
            for path in paths
        }
        return api.DiffResponse(
            changes=bool(paths),
            replaces=replaces,
            delete_before_replace=bool(replaces) and named is not None and named in request.new_inputs,
            diffs=paths,
            detailed_diff=details,
        )

    async def create(self, request: api.CreateRequest) -> api.CreateResponse:
        """Make the resource, or say what would be known of it."""
        if request.preview:
            return api.CreateResponse("", {**unknown(_COMPUTED_IN_PREVIEW), **request.properties})
        inputs = _plain(request.properties)
        with self.cloud.open() as state:
            try:
                resource_id, outputs = operations.create(state, _token(request), inputs)
            finally:
                self._note(state, "create", request)
        await self._linger("create", _token(request))
        return api.CreateResponse(resource_id, _with_secrets(outputs, request.properties))

    async def update(self, request: api.UpdateRequest) -> api.UpdateResponse:
        """Change the resource in place."""
        if request.preview:
            return api.UpdateResponse({**request.olds, **request.news})
        old, new = _plain(request.olds), _plain(request.news)
        with self.cloud.open() as state:
            self._note(state, "update", request)
            outputs = operations.update(state, _token(request), request.resource_id, old, new)
        return api.UpdateResponse(_with_secrets(outputs, request.news))

    async def delete(self, request: api.DeleteRequest) -> None:
        """Delete the resource."""
        with self.cloud.open() as state:
            self._note(state, "delete", request)
            operations.delete(state, _token(request), request.resource_id, _plain(request.properties))
        await self._linger("delete", _token(request))

    async def read(self, request: api.ReadRequest) -> api.ReadResponse:
        """What the cloud has now; no id where the resource is gone."""
        found = operations.read(self.cloud.read(), request.resource_id, _plain(request.inputs))
        if found is None:
            return api.ReadResponse("")
        outputs, inputs = found
        return api.ReadResponse(request.resource_id, _wired(outputs), _wired(inputs))

    async def invoke(self, request: api.InvokeRequest) -> api.InvokeResponse:
        """Answer a look-up."""
        answer = lookups.answer(request.tok, _plain(request.args))
        return api.InvokeResponse(_wired(answer))

    def _note(self, state: State, operation: str, request: Any) -> None:
        state.events.append(f"{operation} {_token(request)} {request.name}")

    async def _linger(self, operation: str, token: str) -> None:
        with self.cloud.open() as state:
            fault = state.take_fault(operation, token, "slow")
        if fault is not None:
            await asyncio.sleep(fault.seconds)


def _token(request: Any) -> str:
    return str(request.type).rpartition("$")[2]  # the SDK leaves the parents' types before the resource's own


def _with_secrets(outputs: dict[str, Any], inputs: PropertyMap) -> PropertyMap:
    """Outputs in the engine's form; what came in and stayed goes out as it came, secrets included."""
    return {
        key: inputs[key] if key in inputs and plain(inputs[key]) == value else wire(value)
        for key, value in outputs.items()
    }


def _plain(values: PropertyMap) -> dict[str, Any]:
    return {key: plain(value) for key, value in values.items()}


def _wired(values: dict[str, Any]) -> PropertyMap:
    return {key: wire(value) for key, value in values.items()}


if __name__ == "__main__":
    serve(DoubleOfGcp(Cloud(Path(os.environ[ENVIRONMENT_VARIABLE]))), "10.2.0")
