"""Command line of the test cluster: `python -m tests.kubecluster up|down|status|build`."""

# ruff: noqa: T201 -- what it prints is its purpose

import argparse
import sys

from tests.kubecluster import cluster
from tests.kubecluster.places import KUBECONFIG, ClusterError
from tests.kubecluster.processes import kubectl, running, started_names
from tests.kubecluster.programs import build, check_machine


def build_programs() -> int:
    """Compile the programs and start nothing."""
    check_machine()
    build()
    return 0


def up() -> int:
    """Start the cluster with three nodes alike."""
    cluster.up()
    print(f"The cluster is up: export KUBECONFIG={KUBECONFIG}")
    return 0


def down() -> int:
    """Stop the cluster."""
    cluster.down()
    return 0


def status() -> int:
    """Print what runs; exit code 1 without an API server."""
    for name in started_names():
        process = running(name)
        print(f"{name:28} {f'pid {process.pid}' if process else 'ended'}")
    if not running("kube-apiserver"):
        print("The cluster is down.")
        return 1
    print(kubectl("get", "nodes", "-o", "wide"), kubectl("get", "pods", "-A", "-o", "wide"), sep="\n")
    return 0


COMMANDS = {"build": build_programs, "up": up, "down": down, "status": status}


def main() -> int:
    """Run one command; a failure is one message and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.kubecluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.__doc__)
    try:
        return COMMANDS[parser.parse_args().command]()
    except ClusterError as error:
        print(f"kubecluster: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
