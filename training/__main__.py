"""The training program's verbs: ``python -m training server|coordinate|data``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from training.environment import import_tensorflow


def main(arguments: list[str]) -> int:
    """Carry out one verb and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    server = verbs.add_parser("server", help="run one TensorFlow server until it is told to stop")
    server.add_argument("--port", type=int, required=True, help="port to listen on")
    server.add_argument("--bind", default="0.0.0.0", help="address to listen on; every one by default")  # noqa: S104
    server.add_argument("--name", default="server", help="what it is called in its log and in ps")
    coordinate = verbs.add_parser("coordinate", help="do one training run")
    coordinate.add_argument("--run-dir", type=Path, required=True, help="folder of the run")
    coordinate.add_argument("--settings", type=Path, help="settings file, if not RUN_DIR/settings.json")
    coordinate.add_argument(
        "--record", type=Path, help="further file for the result record of a succeeded run"
    )
    coordinate.add_argument(
        "--stop-with-parent", action="store_true", help="stop at the end of standard input"
    )
    data = verbs.add_parser("data", help="fetch MNIST into a folder")
    data.add_argument("--dir", default="", help="folder of the cache; the user's own by default")
    data.add_argument("--file", default="", help="a file that has it already")
    data.add_argument("--mirror", default="", help="address of the gzipped files")
    return _run(parser.parse_args(arguments))


def _run(chosen: argparse.Namespace) -> int:
    # the verbs are imported late: data needs no TensorFlow, a server no coordinator
    if chosen.verb == "data":
        from training.data import fetch

        return fetch(chosen.dir, chosen.file, chosen.mirror)
    import_tensorflow()
    if chosen.verb == "server":
        from training.server import run_server

        return run_server(chosen.port, chosen.bind, chosen.name)
    from training.coordinator import run_coordinator

    return run_coordinator(
        chosen.run_dir,
        stops_with_parent=chosen.stop_with_parent,
        settings_file=chosen.settings,
        record=chosen.record,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
