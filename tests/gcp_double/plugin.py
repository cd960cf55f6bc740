"""The plug-in process: answers the engine in the place of the GCP provider.

The file of the cloud comes from the environment variable `GCP_DOUBLE_CLOUD`. Previews ask the cloud nothing,
and cancelling changes nothing: the real provider waits for the call under way.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

from pulumi.provider.experimental import provider as api

from provider.properties import unknown
from tests.gcp_double import lookups, operations
from tests.gcp_double.cloud import ENVIRONMENT_VARIABLE, Cloud, State
from tests.gcp_double.diff import changed_paths, forcing
from tests.gcp_double.serving import serve
from tests.gcp_double.wire import plain_map, token_of, wired_map, with_secrets

_COMPUTED_IN_PREVIEW = ("selfLink", "email", "member", "name", "registryUri", "endpoint", "masterAuth", "url")


class DoubleOfGcp(api.Provider):
    """Keeps resources in the file of the cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    async def diff(self, request: api.DiffRequest) -> api.DiffResponse:
        """Compare as a bridged provider: what is left out is not compared."""
        paths = changed_paths(plain_map(request.old_state), plain_map(request.new_inputs))
        replaces = forcing(paths, operations.REPLACES.get(token_of(request), ()))
        named = operations.name_input(token_of(request))
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
        inputs = plain_map(request.properties)
        with self.cloud.open() as state:
            try:
                resource_id, outputs = operations.create(state, token_of(request), inputs)
            finally:
                self._note(state, "create", request)
        await self._linger("create", token_of(request))
        return api.CreateResponse(resource_id, with_secrets(outputs, request.properties))

    async def update(self, request: api.UpdateRequest) -> api.UpdateResponse:
        """Change the resource in place."""
        if request.preview:
            return api.UpdateResponse({**request.olds, **request.news})
        old, new = plain_map(request.olds), plain_map(request.news)
        with self.cloud.open() as state:
            self._note(state, "update", request)
            outputs = operations.update(state, token_of(request), request.resource_id, old, new)
        return api.UpdateResponse(with_secrets(outputs, request.news))

    async def delete(self, request: api.DeleteRequest) -> None:
        """Delete the resource."""
        with self.cloud.open() as state:
            self._note(state, "delete", request)
            operations.delete(state, token_of(request), request.resource_id, plain_map(request.properties))
        await self._linger("delete", token_of(request))

    async def read(self, request: api.ReadRequest) -> api.ReadResponse:
        """What the cloud has now; no id where the resource is gone."""
        found = operations.read(self.cloud.read(), request.resource_id, plain_map(request.inputs))
        if found is None:
            return api.ReadResponse("")
        outputs, inputs = found
        return api.ReadResponse(request.resource_id, wired_map(outputs), wired_map(inputs))

    async def invoke(self, request: api.InvokeRequest) -> api.InvokeResponse:
        """Answer a look-up."""
        answer = lookups.answer(request.tok, plain_map(request.args))
        return api.InvokeResponse(wired_map(answer))

    def _note(self, state: State, operation: str, request: Any) -> None:
        state.events.append(f"{operation} {token_of(request)} {request.name}")

    async def _linger(self, operation: str, token: str) -> None:
        with self.cloud.open() as state:
            fault = state.take_fault(operation, token, "slow")
        if fault is not None:
            await asyncio.sleep(fault.seconds)


if __name__ == "__main__":
    serve(DoubleOfGcp(Cloud(Path(os.environ[ENVIRONMENT_VARIABLE]))), "10.2.0")
