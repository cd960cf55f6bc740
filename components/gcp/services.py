"""The Google APIs that a stack needs, switched on for it and left on when it is destroyed.

Switching an API off would take it from everything else in the project. An API that was switched on moments
ago may still be refused, here and there, for some minutes: `retry_just_enabled` is patient with that.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

PATIENCE_S = 300.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 30.0


@dataclass(frozen=True, kw_only=True)
class ServicesArgs:
    """Which APIs.

    Attributes:
        services: Short names, e.g. ``container`` for ``container.googleapis.com``.
    """

    services: Sequence[str]


class Services(pulumi.ComponentResource):
    """APIs of a project. Creates one resource an API; destroying it leaves them on."""

    def __init__(self, name: str, args: ServicesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:GoogleServices", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        for service in args.services:
            gcp.projects.Service(
                f"{name}-{service}",
                service=f"{service}.googleapis.com",
                disable_on_destroy=False,
                disable_dependent_services=False,
                opts=child,
            )
        self.register_outputs({})


def retry_just_enabled(pause_s: float = FIRST_PAUSE_S) -> None:
    """Let every resource of Google's that is refused because its API is not on yet be tried again.

    To be called once, before anything is declared.

    Args:
        pause_s: Time before the first new try; it doubles with each further one.
    """
    first_refusals: dict[str, float] = {}

    async def is_worth_another_try(args: pulumi.ErrorHookArgs) -> bool:
        if not is_just_enabled(args.errors[0]):
            return False
        started = first_refusals.setdefault(args.urn, time.monotonic())
        if time.monotonic() - started > PATIENCE_S:
            return False
        await asyncio.sleep(min(pause_s * 2 ** (len(args.errors) - 1), LONGEST_PAUSE_S))
        return True

    hook = pulumi.ErrorHook("google-api-just-enabled", is_worth_another_try)
    binding = pulumi.ResourceHookBinding(on_error=[hook])

    def add_hook(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if not args.type_.startswith("gcp:"):
            return None
        opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(hooks=binding))
        return pulumi.ResourceTransformResult(props=args.props, opts=opts)

    pulumi.runtime.register_resource_transform(add_hook)


def is_just_enabled(error: str) -> bool:
    """Whether an error says that an API is off, which one that was switched on moments ago says too."""
    return (
        "accessNotConfigured" in error
        or "SERVICE_DISABLED" in error
        or "has not been used in project" in error
    )
