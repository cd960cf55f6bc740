"""Who is measured: each row of the table, how its tasks are started and what they are asked.

A contestant trains when told, so many steps at a time, and says how long that took and what it predicts; how
it does so is ``benchmarks.keras_fit``'s, ``benchmarks.strategies``' and, for our own rows, ``training``'s
business.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Protocol

from benchmarks.orders import Score, Scored, Train
from benchmarks.tasks import Task, Tasks, wait_for_ports
from training.members import Server
from training.session import Order, Team, Trained, free_port, score, train
from training.state import TrainingState
from training.tasks import Dataset, load_task

NO_EXCHANGE = 10**9
"""A synchronisation period that never ends: workers that train each on their own."""

EXAMPLES = 55_000
PARAMETERS = 817_514


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a row trains.

    Attributes:
        name: Name of the row.
        workers: Number of tasks that compute gradients.
        batch_size: Examples a step, over all workers together.
        learning_rate: Adam's step size.
        sync_period: Steps between two synchronisations; 1 is exact.
        is_same_work: Whether a step is the same work as the single task's, so that steps may be compared.
        seed: Governs order of examples and dropout.
    """

    name: str
    workers: int
    batch_size: int = 600
    learning_rate: float = 0.001
    sync_period: int = 1
    is_same_work: bool = True
    seed: int = 1


class Contestant(Protocol):
    """A started row."""

    setting: Setting
    tasks: list[Task]

    def train(self, steps: int) -> float:
        """Train and return the seconds that it took."""
        ...

    def losses(self) -> list[float]:
        """Return the losses of the steps so far, where they are known."""
        ...

    def accuracy(self) -> float:
        """Return the share of the 10,000 test images that is classified right."""
        ...

    def close(self) -> None:
        """End the row's own tasks."""
        ...


class Ours:
    """This project's training: a coordinator's session on servers that were running before."""

    def __init__(
        self, setting: Setting, tasks: Tasks, servers: Sequence[tuple[Task, Server]], dataset: Dataset
    ) -> None:
        from training.arrangement import STEPS_A_CALL, Work

        self.setting, self._all, self._dataset = setting, tasks, dataset
        self._steps_a_call, self._losses = STEPS_A_CALL, list[float]()
        task = load_task("training.tasks.mnist")
        (_, master), *workers = servers
        team = Team(master, tuple(server for _, server in workers[: setting.workers]))
        work = Work(
            task=task,
            train=dataset.train,
            batch_size=setting.batch_size,
            learning_rate=setting.learning_rate,
            seed=setting.seed,
            sync_period=setting.sync_period,
        )
        state = TrainingState(0, task.initial_parameters(setting.seed))
        body = functools.partial(train, team=team, port=free_port(), work=work, state=state)
        self._session = tasks.start(setting.name, body)
        self.tasks = [self._session, *(task for task, _ in servers[: setting.workers + 1])]

    def train(self, steps: int) -> float:  # noqa: D102  # as in Contestant, here and below
        if steps % self._steps_a_call:
            raise ValueError(f"steps={steps} must be a multiple of {self._steps_a_call}")
        duration_s = 0.0
        for _ in range(steps // self._steps_a_call):
            answer: Trained = self._session.ask(Order(self._steps_a_call))
            duration_s += answer.duration_s
            if answer.reports:
                self._losses += [float(loss) for loss in answer.reports.losses]
        return duration_s

    def losses(self) -> list[float]:  # noqa: D102
        return self._losses

    def accuracy(self) -> float:  # noqa: D102
        answer: Trained = self._session.ask(Order(0, is_state_wanted=True))
        body = functools.partial(
            score, task=load_task("training.tasks.mnist"), examples=self._dataset.test, state=answer.state
        )
        scorer = self._all.start(f"{self.setting.name}-score", body)
        try:
            return float(scorer.answer())
        finally:
            self._all.close([scorer])

    def close(self) -> None:  # noqa: D102
        self._session.process.leave()
        self._all.close([self._session])


class Others:
    """A contestant whose tasks all take the same orders: Keras, or one of TensorFlow's strategies.

    Args:
        setting: The row.
        tasks: Where its tasks are started.
        bodies: What the tasks that take orders run, by name.
        servers: Tasks that only serve.
    """

    def __init__(
        self,
        setting: Setting,
        tasks: Tasks,
        bodies: dict[str, Callable[[Connection], int]],
        servers: Sequence[Task] = (),
    ) -> None:
        self.setting, self._all = setting, tasks
        self._asked = [tasks.start(f"{setting.name}-{name}", body) for name, body in bodies.items()]
        self.tasks = [*self._asked, *servers]

    def train(self, steps: int) -> float:  # noqa: D102
        for task in self._asked:
            task.process.send(Train(steps))
        return max(float(task.answer().duration_s) for task in self._asked)

    def losses(self) -> list[float]:  # noqa: D102
        return []

    def accuracy(self) -> float:  # noqa: D102
        for task in self._asked:
            task.process.send(Score())
        answers: list[Scored] = [task.answer() for task in self._asked]
        return answers[0].accuracy

    def close(self) -> None:  # noqa: D102
        self._all.close(self.tasks)


def start_servers(tasks: Tasks, workers: int, prefix: str = "") -> list[tuple[Task, Server]]:
    """Start a master and ``workers`` workers, and wait until all answer."""
    names = ["master", *(f"worker{number}" for number in range(workers))]
    started = [tasks.start_server(prefix + name) for name in names]
    wait_for_ports([server for _, server in started])
    return started
