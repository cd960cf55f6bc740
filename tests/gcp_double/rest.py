"""Google's REST APIs on loopback, answering for the double's cloud as the documented ones do.

The address of an API is `<address>/<its short name>`. Tokens are handed out at `/token`, and a request
without one is answered with 401. Any answer can be replaced for a while, to let things go wrong.
"""

import json
import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.gcp_double import cloud_build, kubernetes_api, views
from tests.gcp_double.cloud import Cloud
from tests.gcp_double.refused import RefusedError

TOKEN = "token-of-the-double"


class UnreachableError(Exception):
    """There is nobody to answer."""


@dataclass
class Instead:
    """An answer given in the place of the real one: to requests whose path matches, so many times."""

    pattern: str
    status: int
    body: Any
    times: int
    headers: dict[str, str] = field(default_factory=dict)


class GoogleServer(ThreadingHTTPServer):
    """One server that answers for all APIs.

    Attributes:
        cloud: What exists.
        requests: ``METHOD path`` of what was asked, in order, without tokens.
    """

    daemon_threads = True

    def __init__(self, cloud: Cloud) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cloud = cloud
        self.requests: list[str] = []
        self.builds = cloud_build.Builds()
        self._instead: list[Instead] = []

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    @property
    def cluster_address(self) -> str:
        """Address of the cluster's API server, while there is a cluster."""
        return f"{self.address}/kubernetes"

    @property
    def address(self) -> str:
        """Address that clients are given."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer_instead(
        self, pattern: str, status: int, body: Any = None, times: int = 1_000_000, **headers: str
    ) -> None:
        """Answer requests whose ``METHOD path`` matches a pattern with this, so many times."""
        self._instead.append(Instead(pattern, status, body, times, headers))

    def refuse(
        self, pattern: str, status: int, message: str, reason: str = "", times: int = 1_000_000
    ) -> None:
        """Answer such requests with an error in Google's form, so many times."""
        self.answer_instead(pattern, status, RefusedError(status, message, reason).body, times)

    def instead_of(self, request: str) -> Instead | None:
        """The replacement for a request, used up by this call."""
        for entry in self._instead:
            if entry.times > 0 and re.search(entry.pattern, request):
                entry.times -= 1
                return entry
        return None


@contextmanager
def serving(cloud: Cloud) -> Iterator[GoogleServer]:
    """Run a server for the time of a block."""
    server = GoogleServer(cloud)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: GoogleServer

    def do_GET(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_PUT(self) -> None:
        self._handle("PUT")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def log_message(self, *_: Any) -> None:
        """Stay silent."""

    def _handle(self, method: str) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        address = urlsplit(self.path)
        request = f"{method} {address.path}"
        self.server.requests.append(request)
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        replaced = self.server.instead_of(request)
        try:
            if replaced is not None:
                self._send(replaced.status, replaced.body or {}, replaced.headers)
            elif address.path == "/token":
                self._send(200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}, {})
            else:
                self._send(200, self._answer(method, address.path, query, content), {})
        except RefusedError as error:
            self._send(error.status, error.body, {})
        except UnreachableError:
            self.close_connection = True  # hang up without a word

    def _answer(self, method: str, path: str, query: dict[str, str], content: bytes) -> Any:
        if "Authorization" not in self.headers:
            raise RefusedError(401, "Request is missing required authentication credential.", "required")
        service = path.split("/")[1]
        if service in ("artifactregistry", "cloudbuild", "storage"):
            answered = self.server.builds.answer(method, path, query, content, dict(self.headers))
            if answered is not None:
                return answered
        if service == "kubernetes":
            return self._ask_cluster(method, path.removeprefix("/kubernetes"), query, content)
        with self.server.cloud.open() as state:
            if service not in state.enabled:
                raise RefusedError(
                    403,
                    f"{service}.googleapis.com has not been used before or it is disabled.",
                    "SERVICE_DISABLED",
                )
            found = views.answer(state, method, path, query)
        if found is None:
            raise RefusedError(404, f"The resource '{path}' was not found", "notFound")
        return found

    def _ask_cluster(self, method: str, path: str, query: dict[str, str], content: bytes) -> Any:
        with self.server.cloud.open() as state:
            if not state.has_cluster:
                raise UnreachableError
            found = kubernetes_api.answer(state, method, path, query, content)
        if found is None:
            raise RefusedError(404, f"{path} not found", "NotFound")
        return found

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
