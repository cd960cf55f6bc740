"""Builds the Pulumi engine from its published Go modules, where no release can be downloaded.

The versions stand in `bootstrap/modules/*/go.mod`. The engine's own module replaces one dependency, which
`go install` refuses; a small module that repeats the replacement does not have that problem. The language
host for Python left that repository's modules after 3.68: the last published one serves a newer engine too.
Standard library only.
"""

import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

MODULES = Path(__file__).resolve().parent / "modules"
MINIMUM_GO = (1, 26)

_ENGINE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
_LANGUAGE_HOST = "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
_VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
_HOST_SCRIPTS = (
    "python/cmd/pulumi-language-python-exec",
    "python/dist/pulumi-resource-pulumi-python",
    "python/dist/pulumi-analyzer-policy-python",
)
_PROGRESS_INTERVAL_S = 30.0


class GoBuildError(Exception):
    """The engine could not be built; the message says what is missing or what Go answered."""


def engine_version() -> str:
    """Version of the engine that would be built, as `go.mod` pins it, e.g. ``3.274.1``."""
    found = re.search(
        r"pulumi/pulumi/pkg/v3 v([\d.]+)", (MODULES / "pulumi" / "go.mod").read_text(encoding="utf-8")
    )
    if found is None:
        raise GoBuildError("bootstrap/modules/pulumi/go.mod names no version of pulumi/pkg/v3")
    return found[1]


def build_engine(target: Path) -> None:
    """Build `bin/pulumi` and the Python language host below `target`.

    Raises:
        GoBuildError: Go is missing or too old, or a build failed.
    """
    _check_go()
    binaries = target / "bin"
    binaries.mkdir()
    linker_flags = f"-s -w -X {_VERSION_VARIABLE}=v{engine_version()}"
    _build("pulumi", _ENGINE, linker_flags, binaries / "pulumi")
    _build("pulumi-language-python", _LANGUAGE_HOST, "-s -w", binaries / "pulumi-language-python")
    sources = Path(
        _go("pulumi-language-python", "list", "-m", "-f", "{{.Dir}}", _LANGUAGE_HOST.split("/python/")[0])
    )
    for script in _HOST_SCRIPTS:
        copy = shutil.copy(sources / script, binaries)
        Path(copy).chmod(0o755)


def _check_go() -> None:
    if shutil.which("go") is None:
        raise GoBuildError("`go` is not on PATH")
    version = _run(["go", "env", "GOVERSION"], MODULES).strip()
    numbers = re.match(r"go(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < MINIMUM_GO:
        raise GoBuildError(f"`go` on PATH is {version}; {MINIMUM_GO[0]}.{MINIMUM_GO[1]} or newer is needed")


def _build(module: str, package: str, linker_flags: str, output: Path) -> None:
    started = time.monotonic()
    finished = threading.Event()
    reporter = threading.Thread(target=_report, args=(output.name, started, finished), daemon=True)
    reporter.start()
    try:
        _go(module, "build", "-trimpath", "-ldflags", linker_flags, "-o", str(output), package)
    finally:
        finished.set()
        reporter.join()
    print(f"  built {output.name} in {time.monotonic() - started:.0f} s", flush=True)


def _report(name: str, started: float, finished: threading.Event) -> None:
    print(f"  building {name} from Go modules (minutes on two cores, once for each version)", flush=True)
    while not finished.wait(_PROGRESS_INTERVAL_S):
        print(f"  building {name}: {time.monotonic() - started:.0f} s so far", flush=True)


def _go(module: str, *arguments: str) -> str:
    return _run(["go", *arguments], MODULES / module).strip()


def _run(command: list[str], folder: Path) -> str:
    result = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        tail = "\n".join(result.stderr.strip().splitlines()[-8:])
        raise GoBuildError(f"`{' '.join(command[:2])}` failed with exit code {result.returncode}:\n{tail}")
    return result.stdout
