"""A registry of images that says no, in the ways real registries do, for the tests of what users get to see.

It serves one image for another processor, refuses everything under ``private/``, and knows nothing else.
Only the requests of a pull are understood (https://distribution.github.io/distribution/spec/api/).
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.kubecluster.places import HOST_IP, REGISTRY, REGISTRY_PORT

MISSING = f"{REGISTRY}/nobody/made-this@sha256:{'0' * 64}"
PRIVATE = f"{REGISTRY}/private/trainer@sha256:{'1' * 64}"

_OCI = "application/vnd.oci.image"
_MANIFEST = json.dumps(
    {
        "schemaVersion": 2,
        "mediaType": f"{_OCI}.index.v1+json",
        "manifests": [
            {
                "mediaType": f"{_OCI}.manifest.v1+json",
                "digest": f"sha256:{'3' * 64}",
                "size": 100,
                "platform": {"architecture": "arm64", "os": "linux"},
            }
        ],
    }
).encode()
_DIGEST = "sha256:" + hashlib.sha256(_MANIFEST).hexdigest()

ARM64_ONLY = f"{REGISTRY}/for/arm64@{_DIGEST}"
"""An image whose index lists no manifest for this machine's processor."""


class _Registry(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]  # containerd adds the registry's name to each request
        if path == "/v2/":
            self._answer(200, b"{}")
        elif path.startswith("/v2/private/"):
            self._refuse(401, "UNAUTHORIZED", "authentication required")
        elif path == f"/v2/for/arm64/manifests/{_DIGEST}":
            self._answer(
                200, _MANIFEST, {"Content-Type": f"{_OCI}.index.v1+json", "Docker-Content-Digest": _DIGEST}
            )
        else:
            self._refuse(404, "MANIFEST_UNKNOWN", "manifest unknown")

    do_HEAD = do_GET  # noqa: N815 -- as in the base class

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- as in the base class
        """Say nothing: the tests' output is the kubelet's view."""

    def _refuse(self, status: int, code: str, message: str) -> None:
        body = json.dumps({"errors": [{"code": code, "message": message}]}).encode()
        self._answer(status, body, {"WWW-Authenticate": 'Basic realm="test"'} if status == 401 else {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


@contextmanager
def registry() -> Iterator[None]:
    """Serve while the block runs, at the machine's address in the cluster's network, which must be up."""
    server = ThreadingHTTPServer((str(HOST_IP), REGISTRY_PORT), _Registry)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
