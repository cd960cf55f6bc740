"""Serves a provider over gRPC, with errors as the engine expects them from a real one.

The SDK's own server turns every exception into a traceback; a user-facing error must leave as a status with
the message alone, and a resource that exists although its creation failed must reach the engine's state.
"""

import asyncio
import sys
from typing import Any

import grpc
from pulumi.provider.experimental import provider as api
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime import proto
from pulumi.runtime.proto import provider_pb2_grpc, status_pb2

from provider.properties import wire
from tests.gcp_double.cloud import CloudError
from tests.gcp_double.clusters import InitialisationError


class PlainErrors(ProviderServicer):
    """Adds plain errors to the SDK's servicer."""

    async def Create(self, request: Any, context: Any) -> Any:  # noqa: N802 -- name of the gRPC method
        try:
            return await self._call("Create", request)
        except CloudError as error:
            await context.abort(grpc.StatusCode.UNKNOWN, str(error))
        except InitialisationError as error:
            await context.abort_with_status(_initialisation_failed(error))

    async def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        return await self._plainly("Update", request, context)

    async def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        return await self._plainly("Delete", request, context)

    async def Invoke(self, request: Any, context: Any) -> Any:  # noqa: N802
        return await self._plainly("Invoke", request, context)

    async def _plainly(self, method: str, request: Any, context: Any) -> Any:
        try:
            return await self._call(method, request)
        except CloudError as error:
            await context.abort(grpc.StatusCode.UNKNOWN, str(error))

    async def _call(self, method: str, request: Any) -> Any:
        # The SDK wraps its methods to add tracebacks; the error of ours is the cause inside.
        unwrapped = getattr(ProviderServicer, method).__closure__[0].cell_contents
        return await unwrapped(self, request, None)


def serve(provider: api.Provider, version: str) -> None:
    """Serve until the engine ends the process; prints the port, as the engine expects."""
    asyncio.run(_serve(provider, version, sys.argv[1]))


async def _serve(provider: api.Provider, version: str, engine_address: str) -> None:
    server = grpc.aio.server()
    servicer = PlainErrors(sys.argv[1:], version, provider, engine_address=engine_address)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


def _initialisation_failed(error: InitialisationError) -> grpc.Status:
    detail = proto.provider_pb2.ErrorResourceInitFailed(id=error.resource_id, reasons=[str(error)])
    for key, value in error.outputs.items():
        detail.properties.fields[key].CopyFrom(wire(value).marshal())
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(error))
    status.details.add().Pack(detail)
    answer = grpc.Status()
    answer.code = grpc.StatusCode.UNKNOWN
    answer.details = str(error)
    answer.trailing_metadata = (("grpc-status-details-bin", status.SerializeToString()),)
    return answer
