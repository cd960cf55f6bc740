"""A fake engine for component tests: it records what is declared and refuses lookups nobody planned."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pulumi


@dataclass
class Recorder(pulumi.runtime.Mocks):
    """Resources declared so far, in order.

    Attributes:
        lookups: Answer of each provider function that may be called, by token.
        computed: Outputs that a provider would add, by resource type.
    """

    lookups: dict[str, dict[str, Any]] = field(default_factory=dict)
    computed: dict[str, dict[str, Any]] = field(default_factory=dict)
    resources: list[pulumi.runtime.MockResourceArgs] = field(default_factory=list)

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.resources.append(args)
        return f"{args.name}-id", {**args.inputs, **self.computed.get(args.typ, {})}

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        return self.lookups[args.token], []

    def inventory(self) -> list[tuple[str, str]]:
        """Type and name of every resource, sorted."""
        return sorted((resource.typ, resource.name) for resource in self.resources)

    def inputs_of(self, name: str) -> dict[str, Any]:
        """Inputs of the one resource of that name."""
        (found,) = (resource for resource in self.resources if resource.name == name)
        return found.inputs


def declared(build: Callable[[], Any], recorder: Recorder | None = None, *, stack: str = "test") -> Recorder:
    """Run `build` against a fake engine until everything it declared is there; return what was recorded."""
    recorder = recorder or Recorder()
    pulumi.runtime.set_mocks(recorder, project="tfcluster", stack=stack)
    pulumi.runtime.test(build)()
    return recorder
