"""Serve the product's local resources, with the light fork server."""

import asyncio
import os
import sys
from pathlib import Path

from provider.__main__ import start_log
from provider.host import Host
from provider.local.fork_server import ForkServer
from provider.local.local_run import LocalRun
from provider.local.server_processes import ServerProcesses
from provider.progress import EngineTerminal
from provider.serving import serve
from tests.provider.local.light import fork_server

address = next(argument for argument in sys.argv[1:] if not argument.startswith("-"))
light = ForkServer((sys.executable, "-m", fork_server.__name__))
resources = {
    "tfcluster:index:LocalRun": LocalRun(light),
    "tfcluster:index:ServerProcesses": ServerProcesses(light),
}
log_file = start_log(Path(os.environ["TFCLUSTER_PROVIDER_LOG"]))
asyncio.run(serve(Host(resources.__getitem__, EngineTerminal(address), log_file), address, "0.0.1"))
