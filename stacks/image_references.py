"""References to container images that exist already: by digest, and in no registry that is closed. Pure."""

import re

_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
_CLOSED = re.compile(r"(?:(us|eu|asia)\.)?gcr\.io")
_SUCCESSORS = {"us": "us", "eu": "europe", "asia": "asia", None: "us"}
"""Where Google moved each of its old registries to
(https://cloud.google.com/artifact-registry/docs/transition/gcr-repositories)."""


def image_problem(setting: str, image: str) -> str | None:
    """What is wrong with a reference to an image, or None.

    Args:
        setting: Name of the setting that holds it.
        image: The reference; empty where it isn't set.
    """
    host, _, path = image.partition("/")
    closed = _CLOSED.fullmatch(host)
    if closed:
        name = path.rpartition("/")[2].partition("@")[0].partition(":")[0]
        return (
            f"{setting}={image} is in Google's old registry, which is closed: images are at"
            f" `{_SUCCESSORS[closed[1]]}-docker.pkg.dev/PROJECT/REPOSITORY/{name}` now. Push it there, and"
            f" run `pulumi config set {setting} <that>@sha256:<64 digits>`."
        )
    if not _DIGEST.search(image):
        return (
            f"{setting}={image or '(empty)'} names no digest: a tag can be moved to another image while"
            f" servers run. Run `pulumi config set {setting} <repository>@sha256:<64 digits>`."
        )
    return None
