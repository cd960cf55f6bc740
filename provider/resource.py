"""How a resource of this provider is written: the base class, and how to add one.

Owns what a resource and the framework promise each other. The engine's side of it (wire values, previews,
errors, threads) is ``host.py``; a resource never sees a wire value, an unknown or a gRPC call.

To add a resource, write one module with two property sets and a class:

.. code-block:: python

    class Inputs(Properties, frozen=True, kw_only=True):
        repository: str
        timeout_s: int = 600          # `timeoutS` in the engine

    class Outputs(Properties, frozen=True, kw_only=True):
        digest: str

    class ImageBuild(Resource[Inputs, Outputs]):
        inputs_type = Inputs
        outputs_type = Outputs
        replace_on = frozenset({"repository"})

        def check(self, inputs): ...                 # optional: problems a user can fix, all of them
        def create(self, operation, inputs): ...     # returns Created(id, Outputs(...))
        def update(self, operation, state, inputs): ...   # returns Outputs(...)
        def delete(self, operation, state): ...
        def read(self, operation, state): ...        # optional: what `pulumi refresh` finds
        def diff(self, state, inputs): ...           # optional: what else makes `pulumi up` act

and one line in ``registry.py``. On the program's side it is a plain ``pulumi.CustomResource`` of type
``tfcluster:index:ImageBuild`` that declares its outputs as ``None`` in the property bag it hands over.

Rules:

- Methods are ordinary blocking code; each call has a thread of its own, so several resources work at once
  and one instance serves all resources of its class: keep no state on it that is not guarded.
- The framework answers previews. ``check``, ``diff`` and ``read`` are called in previews too, and change
  nothing. ``check`` and ``diff`` are left out while an input isn't known yet.
- A mistake of the user, or a failure that a user can act on, is raised as ``ProviderError``: the message
  alone reaches the terminal. Any other exception is reported as a defect, with the log that has its
  traceback.
- ``create`` and ``update`` either end complete or raise; a failed ``create`` leaves nothing in the engine's
  state, so it first takes away what it made, or finds it again the next time. A failed ``update`` keeps the
  old state.
- Use ``operation.wait_until`` and ``operation.sleep`` for every wait: they end when the user interrupts.
  Code that blocks elsewhere is given ``CANCEL_GRACE_S`` (``host.py``), then the engine is told without it.
- Inputs come back in ``state.inputs`` as they were at the last success. Secret inputs stay secret in the
  state; name outputs that derive from them in ``secret_outputs``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from provider.operation import Operation
from provider.properties import Properties

I = TypeVar("I", bound=Properties)  # noqa: E741 - inputs and outputs, as in "state of I and O"
O = TypeVar("O", bound=Properties)  # noqa: E741 - as above


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the inputs.

    Attributes:
        input_name: The input as the engine writes it, as in ``stateDir``; empty where it is about several.
        reason: Value, rule and fix, in one sentence.
    """

    input_name: str
    reason: str


@dataclass(frozen=True)
class Created(Generic[O]):
    """What ``create`` returns: an id that stays for the resource's life, and its outputs."""

    id: str
    outputs: O


@dataclass(frozen=True)
class State(Generic[I, O]):
    """A resource as the engine remembers it."""

    id: str
    inputs: I
    outputs: O


@dataclass(frozen=True)
class Diff:
    """What differs between a resource's state and what is wanted now; empty means that nothing is done.

    Attributes:
        changed: Names of the properties, inputs or outputs, that the next update changes.
        replaced: Those of them that only a new resource can have.
        is_deleted_first: Whether a replaced resource must be gone before the new one is made.
        reason: One line for the user on what the inputs don't tell, as in "worker1 has died".
    """

    changed: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    is_deleted_first: bool = True
    reason: str = ""


class Resource(ABC, Generic[I, O]):
    """A kind of resource; the module's docstring is the guide to writing one."""

    inputs_type: type[I]
    outputs_type: type[O]
    replace_on: ClassVar[frozenset[str]] = frozenset()
    """Inputs, as the engine writes them, whose change needs a new resource."""
    secret_outputs: ClassVar[frozenset[str]] = frozenset()
    """Outputs that the engine encrypts."""

    def check(self, inputs: I) -> list[Problem]:
        """Return everything wrong with the inputs; types and missing or unknown names are checked already."""
        del inputs
        return []

    def diff(self, state: State[I, O], inputs: I) -> Diff:
        """Say what differs. By default: the inputs, field by field.

        Add what was found outside the engine to the default: ``super().diff(state, inputs)``.
        """
        changed = changed_names(state.inputs, inputs)
        return Diff(changed, changed & self.replace_on)

    @abstractmethod
    def create(self, operation: Operation, inputs: I) -> Created[O]:
        """Make the resource."""

    def read(self, operation: Operation, state: State[I, O]) -> State[I, O] | None:
        """Look at the real thing; return the state as it is now, or None when it is gone."""
        del operation
        return state

    @abstractmethod
    def update(self, operation: Operation, state: State[I, O], inputs: I) -> O:
        """Change the resource in place to what the inputs ask."""

    @abstractmethod
    def delete(self, operation: Operation, state: State[I, O]) -> None:
        """Take the resource away; one that is gone already is no error."""


def changed_names(old: Properties, new: Properties) -> frozenset[str]:
    """Return the names, as the engine writes them, of the fields in which two property sets differ."""
    names = zip(new.__struct_fields__, new.__struct_encode_fields__, strict=True)
    return frozenset(name for field, name in names if getattr(old, field, None) != getattr(new, field))
