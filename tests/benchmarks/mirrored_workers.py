"""Prints, as JSON, the test accuracy that each of two workers of a strategy has reached after some steps.

Run as a program, because it forks: ``python -m tests.benchmarks.mirrored_workers MODULE FUNCTION``, which
names the body of a worker.
"""

import functools
import importlib
import json
import os
import sys

from training.environment import import_tensorflow

import_tensorflow()

import numpy as np  # noqa: E402  # everything comes after TensorFlow's variables are set

from benchmarks.contestants import Setting  # noqa: E402
from benchmarks.orders import Score, Scored, Took, Train  # noqa: E402
from training.session import free_port  # noqa: E402
from training.session_process import SessionProcess  # noqa: E402
from training.tasks import Dataset, Examples  # noqa: E402

WORKERS, STEPS = 2, 30


def bars() -> Dataset:
    """Each class a bright bar at a place of its own."""
    labels = np.arange(200, dtype=np.uint8) % 10
    images = np.zeros((200, 28, 28, 1), np.uint8)
    for image, label in zip(images, labels, strict=True):
        image[:, 4 + 2 * label : 6 + 2 * label] = 255
    examples = Examples(images, labels)
    return Dataset(train=examples, held_out=examples, test=examples, source="bars")


def accuracies(module: str, function: str) -> list[float]:
    body = getattr(importlib.import_module(module), function)
    setting = Setting(name="mwms-2", workers=WORKERS, batch_size=40)
    addresses = [f"127.0.0.1:{free_port()}" for _ in range(WORKERS)]
    workers = [
        SessionProcess(
            functools.partial(body, setting, bars(), addresses, number), "tfcluster test worker", os.dup(2)
        )
        for number in range(WORKERS)
    ]
    try:
        for worker in workers:
            worker.send(Train(STEPS))
            worker.send(Score())
        reached: list[float] = []
        for worker in workers:
            took, scored = worker.receive(120), worker.receive(120)
            assert isinstance(took, Took), took
            assert isinstance(scored, Scored), scored
            reached.append(scored.accuracy)
        return reached
    finally:
        for worker in workers:
            worker.kill()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(accuracies(*sys.argv[1:])) + "\n")
