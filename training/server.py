"""One TensorFlow gRPC server: it knows its own address alone, and serves whatever run joins it.

Runs until it is told to stop: TensorFlow's server never ends on its own and can't be closed. It reads no
settings and knows no peers; the coordinator joins servers into a cluster, as often as it likes.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from contextlib import nullcontext

from setproctitle import setproctitle

from training.environment import drop_proxies
from training.loopback import ListeningError, listening_on

WILDCARD = "0.0.0.0"  # noqa: S104  # the default in a pod, whose network policy decides who may connect


class ServerError(RuntimeError):
    """The server can't be started; the message says why and what to do."""


def serve(port: int, bind: str, name: str) -> int:
    """Start the server, say so in one line, and return 0 after SIGTERM or SIGINT.

    Raises:
        ServerError: The port is taken or the address isn't one of this machine's.
    """
    stop_signals = {signal.SIGTERM, signal.SIGINT}
    # before TensorFlow starts its threads, which inherit the mask: sigwait below is then the only receiver
    signal.pthread_sigmask(signal.SIG_BLOCK, stop_signals)
    setproctitle(f"tfcluster server {name} {bind}:{port}")
    _check_port(bind, port)
    drop_proxies()
    server = start(port, bind)
    print(f"{name} listens on {bind}:{port} (pid {os.getpid()})", flush=True)
    stopped_by = signal.sigwait(stop_signals)
    print(f"{name} stops: {signal.Signals(stopped_by).name}", flush=True)
    del server
    return 0


def run_server(port: int, bind: str, name: str) -> int:
    """Serve as ``serve`` does; a ``ServerError`` becomes a line of the log and exit code 1."""
    try:
        return serve(port, bind, name)
    except (ServerError, ListeningError) as error:
        print(f"error: {error}", flush=True)
        return 1


def start(port: int, bind: str) -> object:
    """Start TensorFlow's server on ``bind`` and return it; it lives as long as the process."""
    import tensorflow as tf  # here, so that the checks above answer at once

    cluster = tf.train.ClusterSpec({"server": [f"{_dialled(bind)}:{port}"]})
    config = tf.compat.v1.ConfigProto()
    # idle threads that spin take the CPU from those that receive, on a core of their own or shared
    config.experimental.disable_thread_spinning = True
    with nullcontext() if bind == WILDCARD else listening_on(bind):
        try:
            return tf.distribute.Server(cluster, job_name="server", task_index=0, config=config)
        except tf.errors.OpError as error:
            raise ServerError(
                f"port {port} can't be opened on {bind}: {error.message}. Choose another port"
            ) from error


def _dialled(bind: str) -> str:
    return "127.0.0.1" if bind == WILDCARD else bind


def _check_port(bind: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((bind, port))
            # gRPC shares ports among processes without complaint, a plain listener doesn't
            probe.listen()
        except OSError as error:
            advice = (
                f"another process holds it: choose another port, or find it with `ss -ltnp sport = :{port}`"
                if error.errno == errno.EADDRINUSE
                else error.strerror
            )
            raise ServerError(f"port {port} can't be opened on {bind}: {advice}") from error
