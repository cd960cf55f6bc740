"""The whole product as a user has it: a copy of the checkout in another folder, and the real engine."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine import CHECKOUT, Engine


class Clone(Engine):
    """A fresh copy of this checkout with one of its stacks selected; state, runs and ports are its own."""

    def __init__(self, folder: Path, stack: str = "local") -> None:
        super().__init__(folder, stack=stack)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=CHECKOUT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        for name in filter(None, listed.stdout.split("\0")):
            if (CHECKOUT / name).is_file():
                (self.project / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(CHECKOUT / name, self.project / name)
        (self.project / ".venv").symlink_to(CHECKOUT / ".venv")
        self.environment["PATH"] = f"{self.project}/.venv/bin{os.pathsep}{os.environ['PATH']}"
        self.environment["PULUMI_OPTION_SKIP_CONFIG_VALIDATION"] = "true"
        self.run("stack", "select", "--create", self.stack).checked()

    def configure(self, **values: object) -> None:
        """Set settings of the stack, as `pulumi config set` does."""
        for key, value in values.items():
            self.run(
                "config", "set", key, str(value).lower() if isinstance(value, bool) else str(value)
            ).checked()

    def servers(self) -> list[dict[str, Any]]:
        """Name, address and pid of each server, as the stack's state has them."""
        resources = self.resources()
        return [
            server
            for role in ("master", "worker")
            for server in resources[f"{role}-processes"]["outputs"]["servers"]
        ]

    def server_pids(self) -> dict[str, int]:
        """Pid of each server by its name."""
        return {server["name"]: server["pid"] for server in self.servers()}

    @property
    def runs(self) -> list[Path]:
        """Folders of the run history, oldest first."""
        return sorted((self.project / "runs").glob("*/"))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    """One clone for the tests of a module, which follow each other as a user's commands do."""
    made = Clone(tmp_path_factory.mktemp("clone"))
    yield made
    made.destroy()
    made.end()
