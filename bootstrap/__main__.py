"""Set-up on a bare machine: ``python3 -m bootstrap [--dev]``.

Makes the virtual environment and gets a Pulumi engine; does and prints nothing where both are there.
"""

import argparse
import sys

from bootstrap.engine import EngineError, ensure_engine
from bootstrap.environment import SetupError, ensure_environment


def main() -> int:
    """Run the set-up; return the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m bootstrap", description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also what the tests and checks need")
    arguments = parser.parse_args()
    try:
        ensure_environment("requirements-dev.txt" if arguments.dev else "requirements.txt")
        ensure_engine()
    except (SetupError, EngineError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
