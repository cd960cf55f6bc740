"""The verb that lets a shell use `pulumi` as this project does: ``eval "$(.venv/bin/tfcluster env)"``."""

import argparse
import os
import shlex
import sys
from typing import Any

from bootstrap.engine import EngineError
from bootstrap.environment import PROJECT
from cli.pulumi_environment import pulumi_environment
from stacks.stack_file import StackFileError, stack_target


def add_parsers(verbs: Any) -> None:
    """Register the verb."""
    meaning = "print the shell lines after which `pulumi` works here as `make up` uses it"
    parser = verbs.add_parser("env", help=meaning, description=meaning)
    parser.add_argument("stack", nargs="?", default="local", help="name of the stack (default: local)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print an `export` line for each variable that differs from this process's own; return the exit code."""
    try:
        needs_plugins = stack_target(PROJECT, arguments.stack) != "local"
        wanted = pulumi_environment(os.environ, needs_plugins=needs_plugins)
    except (EngineError, StackFileError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            print(f"export {name}={shlex.quote(value)}")
    return 0
