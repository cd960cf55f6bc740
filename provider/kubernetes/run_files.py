"""Brings a run's files from the cluster into the run history on this machine.

They are read through the interface's pod, which mounts the runs' volume; the Job's own pod has ended by then.
Checkpoints stay where they are: they are large, and of use to a run in the cluster only.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from kubernetes import client
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import stream
from websocket import WebSocketException

from provider.errors import ProviderError
from provider.kubernetes.client import Api
from provider.kubernetes.diagnosis import is_ready

RUNS_PATH = "/runs"
"""Where the pod sees the volume; `components.kubernetes.pod` mounts it there."""

CONTAINER = "notebook"
_LEFT_OUT = ("checkpoints",)


class CopyError(ProviderError):
    """The files could not be read; the run itself is not in doubt."""


def copy_run(api: Api, namespace: str, interface_role: str, run: str, target: Path) -> int:
    """Copy a run's files into `target`, which is made; return their number.

    Raises:
        CopyError: The interface's pod is not ready, or the copy broke off.
    """
    pods = api.items(api.core.list_namespaced_pod, namespace, label_selector=f"app={interface_role}")
    pod = next((pod["metadata"]["name"] for pod in pods if is_ready(pod)), None)
    if pod is None:
        raise CopyError("no pod of the interface is ready to read them")
    left_out = [f"--exclude={run}/{name}" for name in _LEFT_OUT]
    command = ["tar", "--create", "--gzip", "--file=-", f"--directory={RUNS_PATH}", *left_out, run]
    archive = _output_of(api, namespace, pod, command)
    target.mkdir(parents=True, exist_ok=True)
    return _unpack(archive, run, target)


def _output_of(api: Api, namespace: str, pod: str, command: list[str]) -> bytes:
    # `stream` turns the client that it is given to web sockets while it works: one of its own, so that
    # nobody else's request goes that way.
    connection = client.CoreV1Api(client.ApiClient(api.connection.configuration))
    output, complaints = bytearray(), bytearray()
    try:
        process = stream(
            connection.connect_get_namespaced_pod_exec,
            pod,
            namespace,
            container=CONTAINER,
            command=command,
            stdin=False,
            stdout=True,
            stderr=True,
            tty=False,
            binary=True,
            _preload_content=False,
        )
        while process.is_open():
            process.update(timeout=10)
            output += _bytes(process.read_stdout(timeout=0))
            complaints += _bytes(process.read_stderr(timeout=0))
        code = process.returncode
    except (ApiException, WebSocketException, OSError) as error:
        raise CopyError(f"the way to pod {pod} broke: {error}") from error
    if code:
        raise CopyError(f"tar in pod {pod} ended with {code}: {complaints.decode(errors='replace').strip()}")
    return bytes(output)


def _bytes(piece: bytes | str) -> bytes:
    return piece.encode() if isinstance(piece, str) else piece


def _unpack(archive: bytes, run: str, target: Path) -> int:
    count = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as files:
            for member in files:
                member.name = member.name.removeprefix(run).lstrip("/")
                if member.name:
                    files.extract(member, target, filter="data")
                    count += member.isfile()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise CopyError(f"what arrived is no whole archive: {error}") from error
    return count
