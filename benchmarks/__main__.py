"""Measure the project's training against its peers: ``python -m benchmarks``.

Every task of every row (a worker, the master, the coordinator, the single-machine baseline) is held to the
same fraction of a core. Rows are measured one after the other, several times round, so that a slow moment
of the machine hits all of them; medians and spread are reported. The time to 99.0 % is the number of steps
that a row needs, counted without any limit because the answer doesn't depend on it, times its measured time
a step.

With ``--profile`` it says what the CPU time of a step goes to instead; ``benchmarks.profile`` says how.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from benchmarks.cpu_groups import NotPermittedError, new_group
from training.environment import import_tensorflow

OUTPUT = Path("build/bench.json")
PROFILE = Path("build/profile.json")
PLOT = Path("build/speedup.png")


def main(arguments: list[str] | None = None) -> int:
    """Run the bench and return an exit code."""
    options = _parsed(arguments)
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    try:
        new_group(f"tfcluster-bench-trial-{os.getpid()}").remove()
    except NotPermittedError as error:
        print(f"error: {error}")
        return 1
    # a task has a fraction of one core, where more threads only hand work to and fro
    os.environ |= {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "2"}
    import_tensorflow()
    return _profile(options) if options.profile else _measure(options)


def _measure(options: argparse.Namespace) -> int:
    from benchmarks import report
    from benchmarks.bench import Bench

    output = options.output or OUTPUT
    started = time.monotonic()
    bench = Bench(cores=options.cores, steps=options.steps, repeats=options.repeats, names=options.rows)
    try:
        rows = bench.run(is_accuracy_wanted=not options.speed_only, seeds=options.seeds)
    finally:
        bench.close()
    content = report.as_json(rows, bench.facts() | {"total_s": round(time.monotonic() - started)})
    report.write_json(content, output)
    report.plot(content, options.plot)
    print("\n" + report.table(content))
    print(f"{output} and {options.plot} written; {content['total_s']} s in total")
    return 0


def _profile(options: argparse.Namespace) -> int:
    from benchmarks import profile, report

    output = options.output or PROFILE
    try:
        content = profile.run(cores=options.cores, names=options.rows)
    except profile.ProfileError as error:
        print(f"error: {error}")
        return 1
    report.write_json(content, output)
    print("\n" + profile.table(content) + f"{output} written")
    return 0


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=float, default=0.25, help="what each task is held to (default 0.25)")
    parser.add_argument("--repeats", type=int, default=3, help="times that every row is measured (default 3)")
    parser.add_argument("--steps", type=int, default=30, help="steps of one measurement (default 30)")
    parser.add_argument("--seeds", type=int, default=1, help="trainings to 99.0 %% a row (default 1)")
    parser.add_argument("--speed-only", action="store_true", help="leave the trainings to 99.0 %% out")
    parser.add_argument(
        "--rows",
        nargs="*",
        default=None,
        help="these rows alone (keras is measured too, but not profiled)",
    )
    parser.add_argument(
        "--profile", action="store_true", help="say what the CPU time of a step goes to instead (needs perf)"
    )
    parser.add_argument(
        "--output", type=Path, help=f"where the numbers go (default {OUTPUT}, of a profile {PROFILE})"
    )
    parser.add_argument("--plot", type=Path, default=PLOT, help=f"where the plot goes (default {PLOT})")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
