"""What the stack costs, as a resource: started before the cluster, and told when the cluster is gone."""

from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class CostMeterArgs:
    """The price of the plan.

    Attributes:
        dollars_per_hour: Price of everything that runs, from the plan.
        prices_of: Date of the price list.
        ends_at: Moment at which the dead-man switch ends the costs; empty where there is none.
    """

    dollars_per_hour: float
    prices_of: str
    ends_at: pulumi.Input[str]


class CostMeter(pulumi.ComponentResource):
    """Hours times price, told at `destroy`. Creates nothing in Google Cloud."""

    started_at: pulumi.Output[str]
    """When the meter was started, in ISO form."""

    def __init__(self, name: str, args: CostMeterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Costs", name, {}, opts)
        meter = _CostMeter(
            f"{name}-meter",
            {"dollarsPerHour": args.dollars_per_hour, "pricesOf": args.prices_of, "endsAt": args.ends_at},
            pulumi.ResourceOptions(parent=self),
        )
        self.started_at = meter.startedAt
        self.register_outputs({"startedAt": self.started_at})


class _CostMeter(pulumi.CustomResource):
    startedAt: pulumi.Output[str]  # noqa: N815 -- the engine's name of the output

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        outputs = {"startedAt": None, "since": None, "dollarsBefore": None}
        super().__init__("tfcluster:index:CostMeter", name, {**inputs, **outputs}, opts)
