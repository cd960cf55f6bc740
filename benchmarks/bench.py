"""The course of the bench: which rows, in which order, held to what, and how each is measured."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import os
import platform
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from benchmarks import keras_fit
from benchmarks.contestants import (
    EXAMPLES,
    NO_EXCHANGE,
    PARAMETERS,
    Contestant,
    Others,
    Ours,
    Setting,
    start_servers,
)
from benchmarks.cpu_groups import PERIOD_US
from benchmarks.report import BASELINE, Row
from benchmarks.tasks import Task, Tasks, cpu_s, limit
from training import cost_model
from training.members import Server
from training.session import free_port
from training.tasks import DataRequest, Dataset, mnist

WORKERS = 6
SETTINGS = (
    Setting(name=BASELINE, workers=1),
    Setting(name="ours-1", workers=1),
    Setting(name="ours-2", workers=2),
    Setting(name="ours-4", workers=4),
    Setting(name="ours-6", workers=6),
    Setting(name="no-exchange-6", workers=6, sync_period=NO_EXCHANGE),
    Setting(name="mwms-6", workers=6),
    Setting(name="mwms-6-keras", workers=6),
    Setting(name="ps-6", workers=6),
    # each side's best batch size and rate for the time to 99.0 %, found as docs/performance.md says
    Setting(name="keras-best", workers=1, batch_size=100, learning_rate=0.0015),
    Setting(name="ours-6-best", workers=6, batch_size=150, learning_rate=0.0015, sync_period=20),
)
_WARM_UP_STEPS = 20
_TARGET, _SCORED_EVERY, _MOST_EXAMPLES = 0.99, 30, 600_000
_LOSSES_COMPARED = 50


class Bench:
    """The scale model.

    Args:
        cores: Fraction of a core that each task is held to.
        steps: Steps of one measurement, a multiple of ten.
        repeats: Times that every row is measured.
        names: Rows wanted, all where None; the baseline is always there.
    """

    def __init__(self, *, cores: float, steps: int, repeats: int, names: Sequence[str] | None) -> None:
        self._cores, self._steps, self._repeats = cores, steps, repeats
        self._settings = [each for each in SETTINGS if names is None or each.name in (*names, BASELINE)]
        self._dataset: Dataset = mnist.load_data(DataRequest())
        self._tasks = Tasks()
        self._servers = start_servers(self._tasks, max(each.workers for each in self._settings))
        self._losses: dict[str, list[float]] = {}

    def run(self, *, is_accuracy_wanted: bool, seeds: int) -> list[Row]:
        """Measure all rows and return them."""
        rows = {each.name: _row(each) for each in self._settings}
        for repeat in range(self._repeats):
            for setting in self._settings:
                self._measure(setting, rows[setting.name], f"{repeat + 1}/{self._repeats}")
        if is_accuracy_wanted:
            for setting in self._settings:
                for seed in range(1, seeds + 1):
                    self._train_to_target(setting, seed, rows[setting.name])
        core = self._core(rows.get("ours-1"))
        for setting in self._settings:
            rows[setting.name].checked = self._checked(setting)
            rows[setting.name].predicted_ms = _predicted_ms(setting, core)
        if "keras-best" in rows:
            # the single task's time to 99.0 % is the one with its best settings
            best, base = rows["keras-best"], rows[BASELINE]
            base.best_seconds_to_99 = best.seconds_to_99
        return list(rows.values())

    @contextlib.contextmanager
    def limited(self, setting: Setting) -> Generator[Contestant]:
        """Start a row, warm it up and hold its tasks to their fraction of a core; end it afterwards."""
        contestant = self._start(setting)
        try:
            contestant.train(_WARM_UP_STEPS)
            limit(contestant.tasks, self._cores)
            contestant.train(10)  # the first limited steps still use what the groups had saved up
            yield contestant
        finally:
            limit(contestant.tasks, None)
            contestant.close()

    def facts(self) -> dict[str, Any]:
        """Return what the numbers depend on."""
        import tensorflow as tf

        return {
            "cores_per_task": self._cores,
            "period_us": PERIOD_US,
            "steps": self._steps,
            "repeats": self._repeats,
            "machine": f"{os.cpu_count()} cores, {platform.machine()}",
            "tensorflow": tf.__version__,
        }

    def close(self) -> None:
        """End every task."""
        self._tasks.close_all()

    def _measure(self, setting: Setting, row: Row, repeat: str) -> None:
        with self.limited(setting) as contestant:
            used_s = cpu_s(contestant.tasks)
            duration_s = contestant.train(self._steps)
            row.cpu_ms.append((cpu_s(contestant.tasks) - used_s) / self._steps * 1000)
            row.times_ms.append(duration_s / self._steps * 1000)
            self._losses[setting.name] = contestant.losses()[:_LOSSES_COMPARED]
        _say(f"{repeat} {setting.name}: {row.times_ms[-1]:.1f} ms a step, {row.cpu_ms[-1]:.1f} ms of CPU")

    def _train_to_target(self, setting: Setting, seed: int, row: Row) -> None:
        contestant = self._start(dataclasses.replace(setting, seed=seed))
        try:
            steps, accuracy = 0, 0.0
            while accuracy < _TARGET and steps * setting.batch_size < _MOST_EXAMPLES:
                contestant.train(_SCORED_EVERY)
                steps += _SCORED_EVERY
                accuracy = contestant.accuracy() if steps * setting.batch_size > EXAMPLES else 0.0
        finally:
            contestant.close()
        row.steps_to_99.append(steps if accuracy >= _TARGET else None)
        row.test_accuracy = round(accuracy, 4)
        _say(f"{setting.name}, seed {seed}: test accuracy {accuracy:.4f} after {steps} steps")

    def _start(self, setting: Setting) -> Contestant:
        if setting.name.startswith("keras"):
            body = functools.partial(keras_fit.body, setting, self._dataset)
            return Others(setting, self._tasks, {"fit": body})
        if setting.name.startswith("mwms"):
            return self._start_mirrored(setting)
        if setting.name.startswith("ps"):
            return self._start_parameter_server(setting)
        return Ours(setting, self._tasks, self._servers, self._dataset)

    def _start_mirrored(self, setting: Setting) -> Contestant:
        addresses = [f"127.0.0.1:{free_port()}" for _ in range(setting.workers)]

        def body_of(number: int) -> Callable[[Any], int]:
            return lambda connection: _mirrored(setting, self._dataset, addresses, number, connection)

        bodies = {f"worker{number}": body_of(number) for number in range(setting.workers)}
        return Others(setting, self._tasks, bodies)

    def _start_parameter_server(self, setting: Setting) -> Contestant:
        servers: list[tuple[Task, Server]] = start_servers(self._tasks, setting.workers, prefix="ps-6-")
        members = [server for _, server in servers]

        def body(connection: Any) -> int:
            from benchmarks.strategies import parameter_server_body

            return parameter_server_body(setting, self._dataset, members, connection)

        return Others(setting, self._tasks, {"coordinator": body}, [task for task, _ in servers])

    def _core(self, alone: Row | None) -> float:
        """Return what a task computes with, in cores of the cost model's: from one worker's time alone."""
        if alone is None:
            return self._cores
        return 1000 * cost_model.seconds_per_step(600, 1, 1, cost_model.Machine()) / alone.ms_per_step

    def _checked(self, setting: Setting) -> str:
        said = (
            f"{PARAMETERS} parameters from the same first weights, {len(self._dataset.train)} examples, "
            f"batches of {setting.batch_size}, Adam {setting.learning_rate:g}"
        )
        alone, losses = (np.array(self._losses.get(name, [])) for name in ("ours-1", setting.name))
        if setting.name.startswith("ours") and setting.sync_period == 1 and len(alone) and len(losses):
            count = min(len(alone), len(losses))
            apart = float(np.abs(alone[:count] - losses[:count]).max())
            said += f"; losses of the first {count} steps differ from ours-1's by {apart:.1e} at most"
        if setting.name == "ps-6":
            said += "; six asynchronous worker steps of 100 examples count as one step"
        if setting.sync_period == NO_EXCHANGE:
            said += "; workers never exchange anything: a bound, not a training"
        return said


def _predicted_ms(setting: Setting, core: float) -> float | None:
    if not setting.name.startswith("ours"):
        return None
    place = cost_model.Machine(core=core, network_gbit_s=math.inf)
    return 1000 * cost_model.seconds_per_step(setting.batch_size, setting.workers, setting.sync_period, place)


def _mirrored(setting: Setting, dataset: Dataset, addresses: list[str], number: int, connection: Any) -> int:
    if setting.name.endswith("-keras"):
        from benchmarks.mirrored_keras import body
    else:
        from benchmarks.strategies import mirrored_body as body

    return body(setting, dataset, addresses, number, connection)


def _row(setting: Setting) -> Row:
    settings = {
        "batch_size": setting.batch_size,
        "learning_rate": setting.learning_rate,
        "sync_period": setting.sync_period,
    }
    return Row(setting.name, setting.workers, settings=settings)


def _say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", flush=True)
