"""Entry point of the provider process: ``python -m provider ENGINE_ADDRESS``, started by the engine."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from importlib.metadata import version
from pathlib import Path

# gRPC's own fork handling prints warnings when the fork server is started; that one execs at once
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

from provider.host import Host
from provider.progress import EngineTerminal
from provider.registry import PACKAGE, make_resource
from provider.serving import serve

CHECKOUT = Path(__file__).resolve().parent.parent
MAX_LOG_BYTES = 1_000_000


def main(arguments: list[str]) -> int:
    """Serve the engine whose address is given; return the exit code."""
    addresses = [argument for argument in arguments if not argument.startswith("-")]
    if not addresses:
        sys.stderr.write("usage: pulumi-resource-tfcluster ENGINE_ADDRESS (the Pulumi engine starts this)\n")
        return 2
    engine_address = addresses[0]
    log_file = start_log(Path(os.environ.get("TFCLUSTER_PROVIDER_LOG", CHECKOUT / ".state" / "provider.log")))
    host = Host(make_resource, EngineTerminal(engine_address), log_file)
    asyncio.run(serve(host, engine_address, version(PACKAGE)))
    return 0


def start_log(path: Path) -> Path:
    """Send this process's log to a file, started anew when it has grown large; return the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_large = path.exists() and path.stat().st_size > MAX_LOG_BYTES
    # delayed: there is a file only once there is something to read in it
    handler = logging.FileHandler(path, mode="w" if is_large else "a", encoding="utf-8", delay=True)
    line = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(handlers=[handler], level=logging.INFO, format=line)
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
