"""The verbs that run `pulumi` on one stack: up, preview, refresh, down, output.

Each is the plain `pulumi` command of the same meaning in the project's environment; nothing happens here that
`pulumi stack select --create STACK && pulumi up` would not do.
"""

import argparse
import os
import subprocess
import sys
from typing import Any

from bootstrap.engine import EngineError
from bootstrap.environment import PROJECT
from cli.gone_cluster import without_its_cluster
from cli.pulumi_environment import pulumi_environment
from cli.recover import release_lock_of_dead_process
from stacks.stack_file import StackFileError, stack_target

_COMMANDS = {
    "up": (["up", "--yes"], "create or update the stack and train"),
    "preview": (["preview"], "show what `up` would do"),
    "refresh": (["refresh", "--yes"], "compare the stack's state with what is really there"),
    "down": (["destroy", "--yes"], "remove everything that the stack created; the run history stays"),
    "output": (["stack", "output", "--json"], "print the stack's outputs as JSON"),
    "cancel": (["cancel", "--yes"], "release the stack after an update that was cut off"),
}


def add_parsers(verbs: Any) -> None:
    """Register the verbs."""
    for verb, (_, meaning) in _COMMANDS.items():
        parser = verbs.add_parser(verb, help=meaning, description=meaning)
        parser.add_argument("stack", nargs="?", default="local", help="name of the stack (default: local)")
        parser.add_argument("options", nargs="*", help="options for pulumi, after `--`")
        parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the verb's `pulumi` command; return its exit code."""
    command, _ = _COMMANDS[arguments.verb]
    try:
        needs_plugins = stack_target(PROJECT, arguments.stack) != "local"
        environment = pulumi_environment(os.environ, needs_plugins=needs_plugins)
    except (EngineError, StackFileError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    release_lock_of_dead_process(arguments.stack, environment)
    if arguments.verb in ("down", "refresh"):
        environment |= without_its_cluster(arguments.stack)
    selected = _pulumi(["stack", "select", "--create", arguments.stack], environment)
    if selected.returncode != 0:
        sys.stderr.write(selected.stderr)
        return selected.returncode
    return _follow([*command, "--stack", arguments.stack, *arguments.options], environment)


def _pulumi(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["pulumi", *arguments], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )


def _follow(arguments: list[str], environment: dict[str, str]) -> int:
    sys.stdout.flush()
    os.chdir(PROJECT)
    os.execvpe("pulumi", ["pulumi", *arguments], environment)  # noqa: S606 -- Ctrl-C must reach pulumi itself
