"""The verb that looks at everything a stack needs before `up`: all problems at once, each with its fix.

It changes nothing. Exit code 0: nothing is in the way. 1: something is. 2: the command line cannot be used.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bootstrap.engine import EngineError
from bootstrap.environment import PROJECT
from cli.plugins import needed_plugins, plugin_sentence
from cli.pulumi_environment import pulumi_environment
from provider.gcp.preflight import Finding
from stacks.capacity import report
from stacks.capacity.plan import Plan
from stacks.google_account import plan_for, read_account
from stacks.settings import Settings, SettingsError, parse
from stacks.stack_file import StackFileError, stack_values

_FINE, _PROBLEMS, _USAGE = 0, 1, 2


def add_parsers(verbs: Any) -> None:
    """Register the verb."""
    meaning = "look at everything that a stack needs before `up`; changes nothing"
    parser = verbs.add_parser("doctor", help=meaning, description=meaning)
    parser.add_argument("stack", help="name of the stack, for example gke-free")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line a check; return the exit code."""
    try:
        values = stack_values(PROJECT, arguments.stack)
    except StackFileError as error:
        print(f"error: {error}", file=sys.stderr)
        return _USAGE
    try:
        settings = parse(values, f"stack {arguments.stack} (stacks/Pulumi.{arguments.stack}.yaml)")
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return _PROBLEMS
    problems = 0
    for finding in findings(settings, arguments.stack):
        problems += finding.is_problem
        print(f"{'FIX ' if finding.is_problem else 'ok  '} {finding.subject}: {finding.sentence}")
    print(f"{problems} to fix" if problems else f"nothing is in the way of `tfcluster up {arguments.stack}`")
    return _PROBLEMS if problems else _FINE


def findings(settings: Settings, stack: str) -> Iterator[Finding]:
    """Outcome of each check, the quick ones on this machine first."""
    try:
        environment = pulumi_environment(os.environ, needs_plugins=settings.target != "local")
    except EngineError as error:
        yield Finding(subject="engine", sentence=str(error), is_problem=True)
    else:
        yield Finding(subject="engine", sentence="a Pulumi engine that is new enough was found")
        yield passphrase_finding(stack, environment)
        for name in needed_plugins(settings.target, settings.gke.image_builder):
            sentence, is_problem = plugin_sentence(name, environment)
            yield Finding(subject="plug-in", sentence=sentence, is_problem=is_problem)
    if settings.target == "gke":
        yield from _account(settings, stack)


def passphrase_finding(stack: str, environment: Mapping[str, str], project: Path = PROJECT) -> Finding:
    """Whether the stack's secrets can be read; a wrong passphrase is told from one that is not set."""
    shown = subprocess.run(
        ["pulumi", "--non-interactive", "stack", "export", "--show-secrets", "--stack", stack],
        cwd=project,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if "incorrect passphrase" in shown.stderr:
        sentence = (
            "the stack's secrets were written with another passphrase than PULUMI_CONFIG_PASSPHRASE or the"
            " file that PULUMI_CONFIG_PASSPHRASE_FILE names. Set the one of the machine that made the stack."
        )
        return Finding(subject="passphrase", sentence=sentence, is_problem=True)
    if "passphrase must be set" in shown.stderr:
        sentence = "set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE; an empty one is one, too."
        return Finding(subject="passphrase", sentence=sentence, is_problem=True)
    is_new = shown.returncode != 0
    return Finding(
        subject="passphrase", sentence="the stack is new" if is_new else "the stack's secrets can be read"
    )


def _account(settings: Settings, stack: str) -> Iterator[Finding]:
    account = read_account(settings, stack)
    yield from account.findings
    answer = plan_for(settings, stack, account)
    if isinstance(answer, Plan):
        sentence = (
            f"{answer.workers} workers fit ({account.quotas.source}); `tfcluster plan {stack}` shows how"
        )
        yield Finding(subject="plan", sentence=sentence)
    else:
        yield Finding(subject="plan", sentence=f"it does not fit\n{report.text(answer)}", is_problem=True)
