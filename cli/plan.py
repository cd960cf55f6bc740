"""The verb that shows what a GKE stack would create and whether it fits; no engine, account or network.

Exit code 0: it fits. 1: it is refused. 2: the command line cannot be used.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from bootstrap.environment import PROJECT
from stacks.capacity import report
from stacks.capacity.from_settings import plan_request
from stacks.capacity.plan import Plan
from stacks.capacity.planner import decide
from stacks.capacity.quotas import TRIAL, parse_limit
from stacks.settings import Settings, SettingsError, parse
from stacks.stack_file import StackFileError, stack_values

_FITS, _REFUSED, _USAGE = 0, 1, 2


def add_parsers(verbs: Any) -> None:
    """Register the verb."""
    meaning = "show a GKE stack's machines, pods, quotas and cost, and whether they fit; needs no account"
    parser = verbs.add_parser("plan", help=meaning, description=meaning)
    parser.add_argument("stack", help="name of the stack, for example gke-free")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="settings",
        help="use another value for a setting, for this plan only",
    )
    parser.add_argument(
        "--quota",
        action="append",
        default=[],
        metavar="METRIC=LIMIT",
        dest="quotas",
        help="use another limit for a quota than the free trial's, for example CPUS=24",
    )
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; return the exit code."""
    try:
        changes = dict(_key_and_value(text) for text in arguments.settings)
        limits = dict(parse_limit(text) for text in arguments.quotas)
        settings = _settings(PROJECT, arguments.stack, changes)
    except (ValueError, StackFileError) as error:
        print(f"error: {error}", file=sys.stderr)
        return _USAGE
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return _REFUSED
    if settings.target != "gke":
        print(
            f"error: stack {arguments.stack} has target={settings.target}; only gke stacks have a plan,"
            " for example gke-free.",
            file=sys.stderr,
        )
        return _USAGE
    answer = decide(plan_request(settings, arguments.stack), TRIAL.with_limits(limits))
    try:
        print(report.as_json(answer) if arguments.json else report.text(answer), flush=True)
    except BrokenPipeError:
        # Whoever reads it, such as `head`, has seen enough; Python must not complain at its end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _FITS if isinstance(answer, Plan) else _REFUSED


def _settings(project: Path, stack: str, changes: dict[str, str]) -> Settings:
    return parse(stack_values(project, stack) | changes, f"stack {stack} (stacks/Pulumi.{stack}.yaml)")


def _key_and_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f"--set {text} is not of the form KEY=VALUE, for example workers=4")
    return key, value
