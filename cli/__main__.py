"""Entry point of the `tfcluster` command."""

import sys


def main() -> int:
    """Run the command line; return its exit code."""
    return 0


if __name__ == "__main__":
    sys.exit(main())
