"""Entry point of the `tfcluster` command: one module a verb, or a group of verbs.

A module joins by a function `add_parsers(verbs)` that registers its parsers, each with `run` set to a
function from the parsed arguments to the exit code.
"""

import argparse
import sys
from collections.abc import Sequence

from cli import doctor, env, plan, stack

_MODULES = (stack, plan, doctor, env)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="tfcluster", description="A TensorFlow cluster and a training run as one Pulumi stack"
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for module in _MODULES:
        module.add_parsers(verbs)
    parsed = parser.parse_args(arguments)
    code: int = parsed.run(parsed)
    return code


if __name__ == "__main__":
    sys.exit(main())
