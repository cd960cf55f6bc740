"""How the stack's settings become those of the training program, and its results the stack's outputs.

Pure, and the same on every target.
"""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import pulumi

from stacks.settings import Settings
from training.settings import RunSettings


def run_settings(settings: Settings, data_file: str) -> dict[str, Any]:
    """The training program's settings by their names there.

    Where the servers are found is left out: that is known only to what starts them.

    Args:
        settings: The stack's settings.
        data_file: Path of the data file as the coordinator sees it; empty where there is none.
    """
    training = settings.training
    is_automatic = settings.workers == "auto"
    run = RunSettings(
        members="file:members.json",
        task=training.task,
        steps=training.steps,
        batch_size=training.batch_size,
        learning_rate=training.learning_rate,
        seed=training.seed,
        sync_period=training.sync_period,
        workers=settings.servers_offered,
        workers_min=settings.workers_min if is_automatic else 0,
        workers_max=settings.workers_max if is_automatic else 0,
        worker_gain_min=settings.worker_gain_percent / 100,
        measure_speedup=training.measure_speedup,
        data_file=data_file,
        cluster_wait_s=training.cluster_wait_seconds,
        peer_timeout_s=training.peer_timeout_seconds,
        train_timeout_s=training.train_timeout_seconds,
        resume=training.resume,
    )
    values = dataclasses.asdict(run)
    del values["members"]
    return values


def run_outputs(results: Mapping[str, pulumi.Output[Any]]) -> dict[str, pulumi.Input[Any]]:
    """The stack's outputs for what a training run's resource returned."""
    return {
        re.sub(r"[A-Z]", lambda capital: f"_{capital[0].lower()}", name): results[name] for name in results
    }
