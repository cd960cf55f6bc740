"""The real Pulumi engine for tests: a backend, a home and a project folder that only one test uses.

Owns finding the engine, keeping it off the network and out of the user's own state, and ending what it
started. What is deployed, and by which program, is the test's.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CHECKOUT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 240


@dataclass(frozen=True)
class Ended:
    """One finished command: its exit code and everything it printed."""

    code: int
    text: str

    def checked(self) -> "Ended":
        """Return this if the command succeeded, else fail the test with what it printed."""
        assert self.code == 0, self.text
        return self


class Running:
    """One command that goes on; its output is read as it comes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._is_at_end = False
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_for(self, part: str) -> str:
        """Return the first line that contains a text; fail the test when the output ends without it."""
        with self._changed:
            self._changed.wait_for(lambda: self._found(part) or self._is_at_end, TIMEOUT_S)
            found = self._found(part)
        assert found, f"never printed {part!r}:\n{self.text}"
        return found

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def wait(self) -> Ended:
        """Wait for the end."""
        try:
            code = self.process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"didn't end within {TIMEOUT_S} s:\n{self.text}") from None
        self._reader.join(10)
        assert not self._reader.is_alive(), "something that was started still holds the output open"
        return Ended(code, self.text)

    def kill(self) -> None:
        """End it the hard way, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def text(self) -> str:
        """Everything printed so far."""
        return "".join(self._lines)

    def _found(self, part: str) -> str:
        return next((line for line in self._lines if part in line), "")

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as output:
            for line in output:
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        with self._changed:
            self._is_at_end = True
            self._changed.notify_all()


class Engine:
    """One project with one stack.

    Args:
        folder: An empty folder for everything: project, state, home.
        stack: The stack's name.
    """

    def __init__(self, folder: Path, stack: str = "test") -> None:
        self.project = folder / "project"
        self.stack = stack
        self._commands: list[Running] = []
        self.project.mkdir()
        self._state = folder / "state"
        self._state.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")},
            # the 3.68 language host runs whatever python comes first
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_BACKEND_URL": f"file://{self._state}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "TFCLUSTER_PROVIDER_LOG": str(folder / "provider.log"),
        }

    def write(self, program: str, provider: Path = CHECKOUT / "provider", plugins: str = "") -> None:
        """Write the project and make its stack.

        Args:
            program: The Pulumi program's text.
            provider: The folder that the `tfcluster` provider is started from.
            plugins: More lines of the project file's `plugins.providers`, indented by four.
        """
        (self.project / "Pulumi.yaml").write_text(
            "name: probe\nruntime: python\nplugins:\n  providers:\n"
            f"    - name: tfcluster\n      path: {provider}\n{plugins}"
        )
        self.rewrite(program)
        self.run("stack", "init", self.stack).checked()

    def rewrite(self, program: str) -> None:
        """Replace the program alone."""
        (self.project / "__main__.py").write_text(textwrap.dedent(program))

    def configure(self, **values: object) -> None:
        """Set values of the stack's configuration; a string stays a string."""
        path = self.project / f"Pulumi.{self.stack}.yaml"
        settings = yaml.safe_load(path.read_text()) or {}
        named = {name if ":" in name else f"probe:{name}": value for name, value in values.items()}
        settings["config"] = {**settings.get("config", {}), **named}
        path.write_text(yaml.safe_dump(settings))

    def up(self) -> Ended:
        """Run `pulumi up` without asking and without a preview."""
        return self.run("up", "--yes", "--skip-preview")

    def preview(self) -> Ended:
        """Run `pulumi preview`."""
        return self.run("preview", "--diff")

    def refresh(self) -> Ended:
        """Run `pulumi refresh` without asking."""
        return self.run("refresh", "--yes", "--skip-preview")

    def destroy(self) -> Ended:
        """Run `pulumi destroy` without asking."""
        return self.run("destroy", "--yes", "--skip-preview")

    def outputs(self) -> dict[str, Any]:
        """Return the stack's outputs; secrets are left encrypted."""
        stacks = [found for found in self.resources().values() if found["type"] == "pulumi:pulumi:Stack"]
        return stacks[0].get("outputs", {})

    def resources(self) -> dict[str, dict[str, Any]]:
        """Return the stack's resources as the state has them, by logical name."""
        # the backend's own file: asking the command line takes a second each time
        (checkpoint,) = self._state.glob(f".pulumi/stacks/*/{self.stack}.json")
        found = json.loads(checkpoint.read_text())["checkpoint"]["latest"].get("resources", [])
        return {resource["urn"].rsplit("::", 1)[-1]: resource for resource in found}

    def run(self, *arguments: str) -> Ended:
        """Run one command to its end."""
        return self.start(*arguments).wait()

    def start(self, *arguments: str) -> Running:
        """Start one command; the test waits for it, interrupts it or kills it."""
        process = subprocess.Popen(
            [pulumi(), "--non-interactive", "--color", "never", *arguments],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._commands.append(Running(process))
        return self._commands[-1]

    def end(self) -> None:
        """End commands that a failed test left running."""
        for command in self._commands:
            command.kill()


def pulumi() -> str:
    """Return the engine on PATH; fail the test with what to run when there is none."""
    found = shutil.which("pulumi")
    assert found, "there is no `pulumi` on PATH: run the tests with `make test`, which sees to it"
    return found
