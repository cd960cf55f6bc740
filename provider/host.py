"""Between the engine and the resources: the SDK's provider class, implemented once for all of them.

Owns previews, unknowns, secrets, threads, cancellation and the report of defects. It knows no particular
resource and nothing of the transport, which is ``serving.py``.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from pulumi.provider.experimental import provider as sdk

from provider import properties
from provider.errors import InterruptedByUser, ProviderError
from provider.operation import Operation
from provider.progress import Progress, Terminal
from provider.properties import PropertyMap
from provider.resource import Diff, Resource, State

CANCEL_GRACE_S = 20.0
"""How long an interrupted operation may take to end by itself before the engine is answered without it;
longer than it takes to stop a process the hard way."""

_log = logging.getLogger(__name__)

T = TypeVar("T")
AnyResource = Resource[Any, Any]


class Host(sdk.Provider):
    """Serves every resource of a registry to one engine.

    Args:
        make_resource: Returns the implementation of a type token; raises ``ProviderError`` for an unknown
            one.
        terminal: Where progress is shown.
        log_file: Named to the user when something unexpected happens.
        cancel_grace_s: See ``CANCEL_GRACE_S``.
    """

    def __init__(
        self,
        make_resource: Callable[[str], AnyResource],
        terminal: Terminal,
        log_file: Path,
        cancel_grace_s: float = CANCEL_GRACE_S,
    ) -> None:
        self._make_resource = make_resource
        self._terminal = terminal
        self._log_file = log_file
        self._cancel_grace_s = cancel_grace_s
        self._resources: dict[str, AnyResource] = {}
        self._resources_lock = threading.Lock()
        self._cancelled = threading.Event()

    async def configure(self, request: sdk.ConfigureRequest) -> sdk.ConfigureResponse:
        """Tell the engine what this provider understands."""
        del request
        # outputs stay off: the SDK can't read an unknown one (pulumi 3.272, PropertyValue.unmarshal)
        return sdk.ConfigureResponse(accept_secrets=True, supports_preview=True)

    async def cancel(self) -> None:
        """Stop what is going on; the engine sends this on Ctrl-C and again when it closes the provider."""
        self._cancelled.set()

    async def check(self, request: sdk.CheckRequest) -> sdk.CheckResponse:
        """Report everything wrong with a resource's inputs."""
        new = request.new_inputs

        def work(resource: AnyResource, _: Operation) -> list[sdk.CheckFailure]:
            names = properties.names_of(resource.inputs_type)
            missing = properties.required_names_of(resource.inputs_type) - new.keys()
            failures = [sdk.CheckFailure(name, "is missing") for name in sorted(missing)]
            failures += [
                sdk.CheckFailure(name, f"is no input of this resource: it has {', '.join(sorted(names))}")
                for name in sorted(new.keys() - names)
            ]
            if failures or properties.unknown_names(new):
                return failures
            try:
                inputs = properties.decode(resource.inputs_type, new)
            except msgspec.ValidationError as error:
                return [sdk.CheckFailure("", str(error))]
            return [sdk.CheckFailure(found.input_name, found.reason) for found in resource.check(inputs)]

        failures = await self._run(request.urn, 0, work)
        return sdk.CheckResponse(inputs=new, failures=failures)

    async def diff(self, request: sdk.DiffRequest) -> sdk.DiffResponse:
        """Say whether a resource must change."""

        def work(resource: AnyResource, operation: Operation) -> Diff:
            unknown = properties.unknown_names(request.new_inputs)
            if unknown:
                old = request.old_state
                changed = frozenset(n for n, value in request.new_inputs.items() if old.get(n) != value)
                return Diff(changed | unknown, (changed | unknown) & resource.replace_on)
            state = _state_of(resource, request.resource_id, request.old_state)
            found = resource.diff(state, properties.decode(resource.inputs_type, request.new_inputs))
            if found.reason:
                operation.progress.say(found.reason)
            return found

        found = await self._run(request.urn, 0, work)
        return _diff_response(found, request.new_inputs.keys())

    async def create(self, request: sdk.CreateRequest) -> sdk.CreateResponse:
        """Make a resource, or say in a preview what will be known of it."""

        def work(resource: AnyResource, operation: Operation) -> sdk.CreateResponse:
            given = request.properties
            if request.preview:
                return sdk.CreateResponse(None, _previewed(resource, given))
            created = resource.create(operation, properties.decode(resource.inputs_type, given))
            return sdk.CreateResponse(created.id, _merged(resource, given, created.outputs))

        return await self._run(request.urn, request.timeout, work)

    async def update(self, request: sdk.UpdateRequest) -> sdk.UpdateResponse:
        """Change a resource in place, or say in a preview what will be known of it."""

        def work(resource: AnyResource, operation: Operation) -> sdk.UpdateResponse:
            given = request.news
            if request.preview:
                return sdk.UpdateResponse(_previewed(resource, given))
            state = _state_of(resource, request.resource_id, request.olds)
            outputs = resource.update(operation, state, properties.decode(resource.inputs_type, given))
            return sdk.UpdateResponse(_merged(resource, given, outputs))

        return await self._run(request.urn, request.timeout, work)

    async def read(self, request: sdk.ReadRequest) -> sdk.ReadResponse:
        """Look at the real thing behind a resource."""

        def work(resource: AnyResource, operation: Operation) -> sdk.ReadResponse:
            state = _state_of(resource, request.resource_id, request.properties)
            found = resource.read(operation, state)
            if found is None:
                return sdk.ReadResponse(None)
            return sdk.ReadResponse(
                found.id, _merged(resource, request.properties, found.outputs), request.inputs
            )

        return await self._run(request.urn, 0, work)

    async def delete(self, request: sdk.DeleteRequest) -> None:
        """Take a resource away."""

        def work(resource: AnyResource, operation: Operation) -> None:
            resource.delete(operation, _state_of(resource, request.resource_id, request.properties))

        await self._run(request.urn, request.timeout, work)

    async def _run(self, urn: str, timeout_s: float, work: Callable[[AnyResource, Operation], T]) -> T:
        progress = Progress(self._terminal, urn)
        operation = Operation(urn=urn, progress=progress, cancelled=self._cancelled, timeout_s=timeout_s)
        try:
            return await self._finished(
                _in_thread(lambda: work(self._resource(urn), operation), operation.name), operation.name
            )
        except ProviderError:
            raise
        except OSError as error:
            # a full disk, a folder that may not be written, a host that can't be reached: its text says it
            _log.exception("an operation on %s met its surroundings", urn)
            raise ProviderError(f"{operation.name}: {error}. The details are in {self._log_file}") from error
        except Exception as error:
            _log.exception("unexpected failure in an operation on %s", urn)
            raise ProviderError(
                f"{operation.name}: unexpected {type(error).__name__}: {error}. This is a defect of "
                f"{_token_of(urn)}; its traceback is in {self._log_file}"
            ) from error

    async def _finished(self, work: Future[T], name: str) -> T:
        """Wait for an operation, once the user has interrupted only for a while."""
        waiting = asyncio.wrap_future(work)
        cancelled_for_s = 0.0
        while cancelled_for_s < self._cancel_grace_s:
            await asyncio.wait({waiting}, timeout=0.2)
            if waiting.done():
                return waiting.result()
            cancelled_for_s += 0.2 if self._cancelled.is_set() else 0
        raise InterruptedByUser(
            f"{name}: interrupted, and didn't stop within {self._cancel_grace_s:.0f} s; "
            "run `pulumi refresh` before the next `pulumi up`"
        )

    def _resource(self, urn: str) -> AnyResource:
        token = _token_of(urn)
        with self._resources_lock:
            if token not in self._resources:
                self._resources[token] = self._make_resource(token)
            return self._resources[token]


def _token_of(urn: str) -> str:
    return urn.split("::")[2].split("$")[-1]


def _in_thread(work: Callable[[], T], name: str) -> Future[T]:
    future: Future[T] = Future()

    def body() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # handed to whoever waits
            future.set_exception(error)

    # a daemon: an operation that doesn't hear the cancellation must not keep the process alive
    threading.Thread(target=body, name=name, daemon=True).start()
    return future


def _state_of(resource: AnyResource, resource_id: str, values: PropertyMap) -> State[Any, Any]:
    try:
        inputs = properties.decode(resource.inputs_type, values)
        outputs = properties.decode(resource.outputs_type, values)
    except msgspec.ValidationError as error:
        raise ProviderError(
            f"{resource_id}: its state was written by another version of this project ({error}). "
            "Take it out with `pulumi state delete`, and make it anew with `pulumi up`"
        ) from error
    return State(resource_id, inputs, outputs)


def _merged(resource: AnyResource, given: PropertyMap, outputs: properties.Properties) -> PropertyMap:
    # the engine hands back only outputs as the old state, so the inputs are kept among them
    return {**given, **properties.encode(outputs, resource.secret_outputs)}


def _previewed(resource: AnyResource, given: PropertyMap) -> PropertyMap:
    only_outputs = properties.names_of(resource.outputs_type) - given.keys()
    return {**given, **properties.unknown(only_outputs)}


def _diff_response(found: Diff, input_names: Collection[str]) -> sdk.DiffResponse:
    update, replace = sdk.PropertyDiffKind.UPDATE, sdk.PropertyDiffKind.UPDATE_REPLACE
    # outputs are left out of the details: `pulumi preview --diff` would show them as deleted
    return sdk.DiffResponse(
        changes=bool(found.changed),
        replaces=sorted(found.replaced),
        diffs=sorted(found.changed),
        delete_before_replace=bool(found.replaced) and found.is_deleted_first,
        detailed_diff={
            name: sdk.PropertyDiff(replace if name in found.replaced else update, input_diff=True)
            for name in found.changed
            if name in input_names
        },
    )
