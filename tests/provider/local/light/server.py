"""A server that only holds its port."""

# ruff: noqa: T201 - its log is standard output

import os
import signal
import socket


def run_server(port, bind, name):
    """Listen until SIGTERM; end at once when the port is taken."""
    print(f"{name} environment: {sorted(os.environ)}", flush=True)
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((bind, port))
        except OSError as error:
            print(f"error: port {port}: {error.strerror}", flush=True)
            return 1
        listener.listen()
        print(f"{name} listens on {bind}:{port}", flush=True)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        signal.sigwait({signal.SIGTERM})
    return 0


def die(port, bind, name):
    """End at once."""
    del port, bind, name
    print("error: out of luck", flush=True)
    return 1
