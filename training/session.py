"""A process of its own that joins servers into one TensorFlow cluster and trains on it.

TensorFlow's runtime can't leave a call that waits for a frozen peer, nor be started again in one process. So
whatever uses it lives here, in a process forked for one set of servers: the supervisor may end it at any
moment and fork the next. It keeps nothing that the supervisor doesn't have, except for the steps since the
last state it handed over.
"""

from __future__ import annotations

import socket
import time
import traceback
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import tensorflow as tf

from training.arrangement import Arrangement, Devices, StepReports, Work
from training.environment import drop_proxies
from training.loopback import listening_on
from training.members import Server
from training.state import TrainingState
from training.tasks import Examples, Task, Tensor

SCORED_AT_ONCE = 1000
_PEER_FAULTS = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.UnknownError,
    tf.errors.InternalError,
    tf.errors.FailedPreconditionError,
    tf.errors.NotFoundError,
)


@dataclass(frozen=True)
class Team:
    """The servers of a session: the holder of the model, usually ``master``, and the workers."""

    holder: Server
    workers: tuple[Server, ...]

    @property
    def servers(self) -> tuple[Server, ...]:
        """Each server once."""
        return tuple(dict.fromkeys((self.holder, *self.workers)))


@dataclass(frozen=True)
class Order:
    """Train ``steps`` more steps (none is allowed), and hand over the state after them if it is wanted."""

    steps: int
    is_state_wanted: bool = False


@dataclass(frozen=True)
class Trained:
    """The answer to an ``Order``.

    Attributes:
        first_step: Number of steps before the first one of the order.
        reports: What the steps gave; None where none was ordered.
        duration_s: Seconds that all steps together took.
        state: The state after them, where it was wanted.
    """

    first_step: int
    reports: StepReports | None
    duration_s: float
    state: TrainingState | None


@dataclass(frozen=True)
class Failed:
    """The session has ended: what was said, and whether a peer may be at fault or only the program."""

    message: str
    is_peer_fault: bool = True


def train(connection: Connection, team: Team, port: int, work: Work, state: TrainingState) -> int:
    """Join the team and carry out orders until the connection is closed at its other end."""
    try:
        devices = _join(team, port)
        arrangement, step = Arrangement(work, devices, state), state.step
        while order := _next_order(connection):
            started = time.monotonic()
            reports = arrangement.train(order.steps) if order.steps else None
            duration_s = time.monotonic() - started
            handed_over = arrangement.state() if order.is_state_wanted else None
            connection.send(Trained(step, reports, duration_s, handed_over))
            step += order.steps
    except _PEER_FAULTS as error:
        connection.send(Failed(str(error)))
        return 1
    except Exception as error:  # whatever it is, the supervisor must hear of it
        traceback.print_exc()
        connection.send(Failed(f"{type(error).__name__}: {error}", is_peer_fault=False))
        return 1
    del arrangement
    with suppress(tf.errors.OpError):
        _leave(team)
    return 0


def score(connection: Connection, task: Task, examples: Examples, state: TrainingState) -> int:
    """Send the mean score of all examples, computed here, without any server; the body of a process."""
    parameters = {name: tf.constant(value) for name, value in state.parameters.items()}

    def total_score(inputs: Tensor, labels: Tensor) -> Tensor:
        return tf.reduce_sum(task.scores(task.predict(parameters, inputs, None), labels))

    total_score_of = tf.function(total_score)
    total = 0.0
    for first in range(0, len(examples), SCORED_AT_ONCE):
        part = slice(first, first + SCORED_AT_ONCE)
        total += float(total_score_of(tf.constant(examples.inputs[part]), tf.constant(examples.labels[part])))
    connection.send(total / len(examples))
    return 0


def _join(team: Team, port: int) -> Devices:
    drop_proxies()
    own = own_address(team.holder.address)
    cluster = _cluster(team, f"{own}:{port}")
    _connect(cluster, own)
    worker_devices = tuple(_device("worker", task) for task in range(len(team.workers)))
    holder = (
        worker_devices[team.workers.index(team.holder)]
        if team.holder in team.workers
        else _device("master", 0)
    )
    return Devices(_device("coordinator", 0), holder, worker_devices)


def _cluster(team: Team, own_address: str) -> Any:  # a tf.train.ClusterSpec
    jobs = {"coordinator": [own_address], "worker": [server.address for server in team.workers]}
    if team.holder not in team.workers:
        jobs["master"] = [team.holder.address]
    return tf.train.ClusterSpec(jobs)


def _leave(team: Team) -> None:
    # a cluster without servers: the ones of before free what they held at once, not after ten minutes
    own = own_address(team.holder.address)
    _connect(tf.train.ClusterSpec({"coordinator": [f"{own}:{free_port()}"]}), own)


def _connect(cluster: Any, own: str) -> None:
    with listening_on(own) if own.startswith("127.") else nullcontext():
        tf.config.experimental_connect_to_cluster(cluster, job_name="coordinator")
        tf.config.list_logical_devices()  # starts the runtime, and with it the coordinator's port


def own_address(peer: str) -> str:
    """Return this machine's IPv4 address as ``peer`` (``host:port``) sees it."""
    host, _, port = peer.rpartition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, int(port)))  # sends nothing: only asks for the route
        return str(probe.getsockname()[0])


def free_port() -> int:
    """Return a port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _device(job: str, task: int) -> str:
    return f"/job:{job}/replica:0/task:{task}/device:CPU:0"


def _next_order(connection: Connection) -> Order | None:
    try:
        return connection.recv()
    except EOFError:
        return None
