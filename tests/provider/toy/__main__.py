"""Serve the toy resource through the product's framework."""

import asyncio
import os
import sys
from pathlib import Path

from provider.__main__ import start_log
from provider.host import Host
from provider.progress import EngineTerminal
from provider.registry import make_resource
from provider.serving import serve

TOYS = {"tfcluster:index:Toy": "tests.provider.toy.resource:Toy"}

address = next(argument for argument in sys.argv[1:] if not argument.startswith("-"))
log_file = start_log(Path(os.environ["TFCLUSTER_PROVIDER_LOG"]))
host = Host(lambda token: make_resource(token, TOYS), EngineTerminal(address), log_file, cancel_grace_s=3)
asyncio.run(serve(host, address, "0.0.1"))
