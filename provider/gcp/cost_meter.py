"""What the cluster cost, told when it is gone: hours times price, each stretch at the price it had.

An estimate from the plan's price list, not a bill: Google's credits, taxes and traffic are not in it.
"""

from datetime import UTC, datetime

from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Resource, State


class Inputs(Properties, frozen=True, kw_only=True):
    """The price from now on.

    Attributes:
        dollars_per_hour: Sum of the plan's items.
        prices_of: Date of the price list.
        ends_at: Moment at which the dead-man switch ends the costs, in ISO form; empty where there is none.
    """

    dollars_per_hour: float
    prices_of: str
    ends_at: str


class Outputs(Properties, frozen=True, kw_only=True):
    """What had come together when the price last changed.

    Attributes:
        started_at: When the meter was started, in ISO form.
        since: When the present price began.
        dollars_before: What was spent before that.
    """

    started_at: str
    since: str
    dollars_before: float


class CostMeter(Resource[Inputs, Outputs]):
    """Counts from before the cluster's creation until after its deletion."""

    inputs_type = Inputs
    outputs_type = Outputs

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Start counting."""
        del operation, inputs
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return Created("meter", Outputs(started_at=now, since=now, dollars_before=0))

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Close the stretch at the old price; the next one begins."""
        del operation, inputs
        now = datetime.now(UTC)
        return Outputs(
            started_at=state.outputs.started_at,
            since=now.isoformat(timespec="seconds"),
            dollars_before=spent(state, now),
        )

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Tell what it came to."""
        operation.progress.say(bill(state, datetime.now(UTC)))


def spent(state: State[Inputs, Outputs], now: datetime) -> float:
    """Dollars from the start until `now`, or until the cluster's own end where that came first."""
    hours = _hours(state, state.outputs.since, now)
    return state.outputs.dollars_before + hours * state.inputs.dollars_per_hour


def bill(state: State[Inputs, Outputs], now: datetime) -> str:
    """One sentence on hours and dollars."""
    hours = _hours(state, state.outputs.started_at, now)
    return (
        f"ran for {hours:.2f} h and cost about ${spent(state, now):.2f}, at last"
        f" ${state.inputs.dollars_per_hour:.3f} an hour (list prices of {state.inputs.prices_of}, before"
        " Google's credits)"
    )


def _hours(state: State[Inputs, Outputs], since: str, now: datetime) -> float:
    ends_at = state.inputs.ends_at
    end = min(now, datetime.fromisoformat(ends_at)) if ends_at else now
    return max(0.0, (end - datetime.fromisoformat(since)).total_seconds() / 3600)
