"""The gRPC server that the engine talks to.

Owns the transport: the SDK's servicer, served so that an error leaves as its message alone. The SDK's own
``main`` can't do that: it adds a traceback to whatever a provider raises, and gRPC a class name.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
from pulumi.provider.experimental.provider import Provider
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2_grpc

from provider.errors import InterruptedByUser, ProviderError

MAX_MESSAGE_BYTES = 400 * 1024 * 1024
"""The engine's own limit for one message."""

ENGINE_CHECK_S = 1.0
"""How often to look whether the engine is still there."""

_log = logging.getLogger(__name__)


class PlainErrors(grpc.aio.ServerInterceptor):
    """Turns what a method raises into a gRPC status that carries the user's message and nothing else."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap one method of the service."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.unary_unary is None:
            return handler

        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            try:
                return await handler.unary_unary(request, context)
            except Exception as raised:
                return await context.abort(*status_of(raised))

        return grpc.unary_unary_rpc_method_handler(
            call, handler.request_deserializer, handler.response_serializer
        )


def status_of(raised: BaseException) -> tuple[grpc.StatusCode, str]:
    """Return the gRPC status of an exception that a provider method raised.

    The SDK wraps what a provider raises, so the original is looked for behind it. The codes for users'
    errors are ones after which the engine trusts that nothing half-made is left.
    """
    if isinstance(raised, NotImplementedError):
        return grpc.StatusCode.UNIMPLEMENTED, str(raised)
    error: BaseException | None = raised
    while error is not None:
        if isinstance(error, InterruptedByUser):
            return grpc.StatusCode.ABORTED, str(error)
        if isinstance(error, ProviderError):
            return grpc.StatusCode.FAILED_PRECONDITION, str(error)
        error = error.__cause__ or error.__context__
    _log.error("unexpected failure outside a resource", exc_info=raised)
    return grpc.StatusCode.INTERNAL, f"unexpected {type(raised).__name__}: {raised}"


async def serve(provider: Provider, engine_address: str, version: str) -> None:
    """Serve until the engine ends this process; tell it the port on standard output."""
    stopped = asyncio.Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(ending, stopped.set)
    options = [("grpc.max_receive_message_length", MAX_MESSAGE_BYTES), ("grpc.so_reuseport", 0)]
    server = grpc.aio.server(interceptors=[PlainErrors()], options=options)
    servicer = ProviderServicer([], version, provider, engine_address)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await _until_engine_is_gone(stopped)
    await provider.cancel()
    await server.stop(grace=1)


async def _until_engine_is_gone(stopped: asyncio.Event) -> None:
    """Wait for a signal, or for the engine's end: killed, or ended by a second Ctrl-C, it sends none."""
    engine = os.getppid()
    while not stopped.is_set() and os.getppid() == engine:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), ENGINE_CHECK_S)
