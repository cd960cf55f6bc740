"""A coordinator that only plays a run: what it does is named by the run's `task`."""

# ruff: noqa: T201 - its log is standard output

import os
import select
import signal
import sys
import time
from pathlib import Path

from training.result import Result
from training.settings import RunSettings


def run_coordinator(run_dir, stops_with_parent):
    """Play the run in a folder; return the exit code."""
    settings = RunSettings.read(Path(run_dir) / "settings.json")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"run with seed {settings.seed}, resume {settings.resume}, members {settings.members}", flush=True)
    match settings.task:
        case "play.failing":
            print("warning: it does not look good")
            print("error: the loss is not a number at step 7: lower learningRate")
            return 1
        case "play.silent":
            return 0
        case "play.killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "play.stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case _:
            pass
    for step in range(10, settings.steps + 1, 10):
        print(f"{step} 0.{step % 1000:03d} 1.5 0.010", flush=True)
        if _parent_is_gone(stops_with_parent):
            return 143
        if settings.task != "play.quick":
            time.sleep(0.1)
    _result(settings, Path(run_dir)).write(Path(run_dir))
    print("test accuracy 0.987", flush=True)
    if settings.task == "play.lingering":
        time.sleep(600)
    return 0


def _parent_is_gone(stops_with_parent):
    return stops_with_parent and bool(select.select([0], [], [], 0)[0]) and not os.read(0, 1)


def _result(settings, run_dir):
    return Result(
        test_accuracy=0.987, final_loss=0.25, steps=settings.steps, sec_per_step=0.01, examples_per_sec=60000,
        workers=settings.workers, recommended_workers=settings.workers, speedup=None, efficiency=None,
        bound="this is a play", seed=settings.seed, data_source="none", versions={"python": "3"},
        started="2026-01-01T00:00:00Z", ended="2026-01-01T00:01:00Z", run_dir=str(run_dir),
    )  # fmt: skip
