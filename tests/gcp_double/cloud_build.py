"""Cloud Build and the part of Cloud Storage that a build needs, as scripted builds in memory."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.gcp_double.refused import RefusedError


@dataclass
class Script:
    """How the next builds go.

    Attributes:
        log: Lines, one more of which is there at each look.
        outcome: Status at the end.
        refused_starts: How often starting is refused as if the service account were unknown.
    """

    log: list[str] = field(default_factory=lambda: ["step 1 of 1", "done"])
    outcome: str = "SUCCESS"
    refused_starts: int = 0


@dataclass
class Builds:
    """What was uploaded and built.

    Attributes:
        script: How builds go from now on.
        objects: Content by ``bucket/name``.
        started: Builds by id, as they were asked for.
        cancelled: Ids of the builds that were stopped.
    """

    script: Script = field(default_factory=Script)
    objects: dict[str, bytes] = field(default_factory=dict)
    started: dict[str, dict[str, Any]] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    looks: dict[str, int] = field(default_factory=dict)

    def answer(
        self, method: str, path: str, query: dict[str, str], content: bytes, headers: dict[str, str]
    ) -> Any:
        """The answer to a request, or None where it is no business of builds."""
        if method == "POST" and path.startswith("/storage/upload/"):
            return self._upload(path, query, content)
        if method == "GET" and "/download/" in path:
            return self._download(path, headers)
        image = re.fullmatch(r"/artifactregistry/.*/dockerImages/(.+)", path)
        if image is not None:
            return {"name": path} if unquote(image[1]) in self._pushed() else None
        build = re.fullmatch(r"/cloudbuild/v1/projects/[^/]+/builds(?:/([^:]+)(:cancel)?)?", path)
        if build is None:
            return None
        if method == "POST" and build[1] is None:
            return self._start(json.loads(content))
        if build[2]:
            self.cancelled.append(build[1])
            return self._view(build[1], "CANCELLED")
        self.looks[build[1]] += 1
        is_over = self.looks[build[1]] > len(self.script.log)
        return self._view(build[1], self.script.outcome if is_over else "WORKING")

    def _pushed(self) -> set[str]:
        """Images that builds have made, as ``name@digest``."""
        made = [image for one in self.started for image in self._view(one, "SUCCESS")["results"]["images"]]
        return {f"{image['name'].rpartition('/')[2].partition(':')[0]}@{image['digest']}" for image in made}

    def _upload(self, path: str, query: dict[str, str], content: bytes) -> dict[str, Any]:
        bucket = path.split("/b/")[1].split("/")[0]
        head, _, rest = content.partition(b"\r\n\r\n")
        metadata, _, rest = rest.partition(b"\r\n--")
        boundary = head.split(b"\r\n")[0].removeprefix(b"--")
        body = rest.partition(b"\r\n\r\n")[2].rpartition(b"\r\n--" + boundary)[0]
        name = query.get("name") or json.loads(metadata)["name"]
        self.objects[f"{bucket}/{name}"] = body
        return {"name": name, "bucket": bucket, "size": str(len(body)), "generation": "1"}

    def _download(self, path: str, headers: dict[str, str]) -> bytes:
        name = unquote(path.rpartition("/o/")[2])
        build_id = name.removeprefix("log-").removesuffix(".txt")
        if build_id not in self.started:
            raise RefusedError(404, f"No such object: {name}", "notFound")
        seen = self.script.log[: self.looks.get(build_id, 0)]
        text = "".join(f"{line}\n" for line in seen).encode()
        start = int(re.sub(r"bytes=(\d+)-.*", r"\1", headers.get("Range", headers.get("range", "bytes=0-"))))
        if start >= len(text):
            raise RefusedError(416, "Requested range not satisfiable", "requestedRangeNotSatisfiable")
        return text[start:]

    def _start(self, build: dict[str, Any]) -> dict[str, Any]:
        if self.script.refused_starts > 0:
            self.script.refused_starts -= 1
            raise RefusedError(400, "service account does not exist yet", "badRequest")
        build_id = f"build-{len(self.started) + 1}"
        self.started[build_id], self.looks[build_id] = build, 0
        kind = "type.googleapis.com/google.devtools.cloudbuild.v1.BuildOperationMetadata"
        return {
            "name": f"operations/{build_id}",
            "metadata": {"@type": kind, "build": self._view(build_id, "QUEUED")},
        }

    def _view(self, build_id: str, status: str) -> dict[str, Any]:
        asked = self.started[build_id]
        source = asked["source"]["storageSource"]
        context = self.objects[f"{source['bucket']}/{source['object']}"]
        images = [
            {"name": name, "digest": f"sha256:{hashlib.sha256(context + name.encode()).hexdigest()}"}
            for name in asked["images"]
        ]
        results = {"results": {"images": images}} if status == "SUCCESS" else {}
        return {"id": build_id, "status": status, "logUrl": f"https://console.example/{build_id}", **results}
