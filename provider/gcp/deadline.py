"""When the dead-man switch deletes the cluster, as a moment that stays the same from one `up` to the next.

Google's scheduler is told the moment as a cron expression, which knows no year and no seconds: it would fire
again a year later, where there is no cluster any more, or the stack is the user's to see.
"""

from datetime import UTC, datetime, timedelta

from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Problem, Resource, State

LONGEST_HOURS = 24 * 300
"""A cron expression without a year cannot tell moments more than a year apart."""

_FORMAT = "%Y-%m-%dT%H:%MZ"


class Inputs(Properties, frozen=True, kw_only=True):
    """How long the cluster may live; another number starts the clock anew."""

    ttl_hours: int


class Outputs(Properties, frozen=True, kw_only=True):
    """The moment, for people and for the scheduler."""

    delete_at: str
    schedule: str


class Deadline(Resource[Inputs, Outputs]):
    """The moment until which the cluster may live."""

    inputs_type = Inputs
    outputs_type = Outputs

    def check(self, inputs: Inputs) -> list[Problem]:
        """A deadline lies ahead, and within what the scheduler can express."""
        if 1 <= inputs.ttl_hours <= LONGEST_HOURS:
            return []
        return [
            Problem(
                "ttlHours", f"ttlHours={inputs.ttl_hours} is out of range: 1 to {LONGEST_HOURS} are allowed"
            )
        ]

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Start the clock."""
        outputs = deadline_after(datetime.now(UTC), inputs.ttl_hours)
        operation.progress.say(notice(outputs))
        return Created("deadline", outputs)

    def read(self, operation: Operation, state: State[Inputs, Outputs]) -> State[Inputs, Outputs] | None:
        """Gone once it has passed: the next `up` starts the clock anew."""
        del operation
        return state if datetime.fromisoformat(state.outputs.delete_at) > datetime.now(UTC) else None

    def update(self, operation: Operation, state: State[Inputs, Outputs], inputs: Inputs) -> Outputs:
        """Start the clock anew."""
        del state
        outputs = deadline_after(datetime.now(UTC), inputs.ttl_hours)
        operation.progress.say(notice(outputs))
        return outputs

    def delete(self, operation: Operation, state: State[Inputs, Outputs]) -> None:
        """Nothing to take away."""


def deadline_after(now: datetime, hours: int) -> Outputs:
    """The deadline so many hours from now, rounded up to a whole minute.

    Args:
        now: A moment in UTC.
        hours: Hours from then.
    """
    almost_a_minute = timedelta(minutes=1) - timedelta.resolution
    moment = (now + timedelta(hours=hours) + almost_a_minute).replace(second=0, microsecond=0)
    schedule = f"{moment.minute} {moment.hour} {moment.day} {moment.month} *"
    return Outputs(delete_at=moment.strftime(_FORMAT), schedule=schedule)


def notice(outputs: Outputs) -> str:
    """What the user is told at `up`."""
    return (
        f"Google deletes this cluster at {outputs.delete_at}, whatever this machine does. Change ttlHours to"
        " start the clock anew (0 switches this off); disks, images and the network stay until `pulumi"
        " destroy`"
    )
