"""A random token that stays the same for the life of its resource: `tfcluster:index:RandomToken`.

It is for a person's browser session; it is no key of anything that lasts.
"""

from __future__ import annotations

import secrets

from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Resource, State

TOKEN_BYTES = 24


class Inputs(Properties, frozen=True, kw_only=True):
    """A token has none."""


class Outputs(Properties, frozen=True, kw_only=True):
    """What a token is.

    Attributes:
        value: The token, safe in a URL; the engine encrypts it.
    """

    value: str


class RandomToken(Resource[Inputs, Outputs]):
    """A token made once."""

    inputs_type = Inputs
    outputs_type = Outputs
    secret_outputs = frozenset({"value"})

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Make the token."""
        del inputs
        return Created(operation.name, Outputs(value=secrets.token_urlsafe(TOKEN_BYTES)))

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Keep the token: nothing can change."""
        del operation, inputs
        return state.outputs

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Forget the token."""
        del operation, state
