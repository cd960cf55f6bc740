"""Measure an unchanged `pulumi up` against a two-resource program: ``python -m benchmarks.unchanged_up``.

The `local` stack must be up (`make up`), and `pulumi` on PATH (`eval "$(.venv/bin/tfcluster env)"`). The
other program declares two component resources and nothing else: what it takes is the engine's and Python's
own time. Both are measured in turn.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bootstrap.environment import PROJECT

_TWO_RESOURCES = """\
import pulumi

for name in ("first", "second"):
    pulumi.ComponentResource("probe:index:Nothing", name)
"""


def main(arguments: list[str] | None = None) -> int:
    """Print both medians and their ratio; return 1 if the stack is not up or changes."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.unchanged_up", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--repeats", type=int, default=7, help="times that each is measured (default 7)")
    repeats = parser.parse_args(arguments).repeats
    with tempfile.TemporaryDirectory() as folder:
        two_resources = _two_resource_project(Path(folder))
        programs = {"two resources": (two_resources, "probe", 3), "local stack": (PROJECT, "local", 7)}
        taken_s: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(repeats):
            for name, (project, stack, resources) in programs.items():
                started = time.monotonic()
                text = _pulumi(project, "up", "--yes", "--skip-preview", "--stack", stack)
                taken_s[name].append(time.monotonic() - started)
                if f"{resources} unchanged" not in text or "created" in text:
                    print(f"error: {name}: an `up` that changes nothing was expected:\n{text}")
                    return 1
    for name, seconds in taken_s.items():
        print(f"{name:14} {statistics.median(seconds):5.2f} s ({min(seconds):.2f} to {max(seconds):.2f})")
    ratio = statistics.median(taken_s["local stack"]) / statistics.median(taken_s["two resources"])
    print(f"ratio of the medians: {ratio:.2f}")
    return 0


def _two_resource_project(folder: Path) -> Path:
    (folder / "Pulumi.yaml").write_text("name: probe\nruntime: python\n")
    (folder / "__main__.py").write_text(_TWO_RESOURCES)
    (folder / "state").mkdir()
    _pulumi(folder, "stack", "init", "probe")
    _pulumi(folder, "up", "--yes", "--skip-preview")
    return folder


def _pulumi(project: Path, *arguments: str) -> str:
    backend = {} if project == PROJECT else {"PULUMI_BACKEND_URL": f"file://{project / 'state'}"}
    done = subprocess.run(
        ["pulumi", "--non-interactive", "--color", "never", *arguments],
        cwd=project,
        env=os.environ | backend,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"error: `pulumi {' '.join(arguments)}` in {project}:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
