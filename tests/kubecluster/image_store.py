"""Images of the cluster: built without a daemon by buildah, unpacked once, and handed to every node.

A pull cannot succeed here but from `registry.py`, so images are laid into containerd's data before a node
starts. Nodes share their files by hard links.
"""

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.kubecluster.places import CACHE, HERE, LOGS, PROGRAMS, STORE
from tests.kubecluster.processes import run

TAG = "1"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Image:
    """An image in an OCI archive.

    Attributes:
        name: Repository without tag, e.g. ``kubecluster.test/pause``.
        digest: Digest of its manifest, ``sha256:...``.
        archive: The file.
    """

    name: str
    digest: str
    archive: Path

    @property
    def reference(self) -> str:
        """What a pod names, by digest."""
        return f"{self.name}@{self.digest}"


def buildah(command: str, *arguments: object) -> str:
    """Run buildah on storage of the cache's own, with the one isolation that needs no container runtime."""
    storage = ("--root", CACHE / "buildah", "--runroot", CACHE / "buildah-run", "--storage-driver", "overlay")
    isolation = ("--isolation", "chroot") if command in ("bud", "run") else ()
    return run("buildah", *storage, command, *isolation, *arguments)


def write_archive(name: str, target: Path) -> Image:
    """Write an image of buildah's storage, tagged `TAG`, to an archive beside a file with its digest."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    digest = target.with_suffix(".digest")
    # OCI archives are always compressed; this way costs the least time, here and when it is unpacked.
    quickly = ("--compression-format", "zstd", "--compression-level", "1")
    push = ("push", *quickly, "--quiet", "--digestfile", digest)
    buildah(*push, f"{name}:{TAG}", f"oci-archive:{target}:{TAG}")
    return read_archive(name, target)


def read_archive(name: str, target: Path) -> Image:
    """An image that `write_archive` wrote."""
    return Image(name=name, digest=target.with_suffix(".digest").read_text().strip(), archive=target)


def program_image(program: str, architecture: str = "amd64") -> Image:
    """An image with one static program of the cluster and nothing else."""
    name = f"kubecluster.test/{program}"
    archive = PROGRAMS / "images" / f"{program}.tar"
    if archive.with_suffix(".digest").exists() and archive.exists():
        return read_archive(name, archive)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy2(PROGRAMS / program, folder)
        Path(folder, "Dockerfile").write_text(f'FROM scratch\nCOPY {program} /\nENTRYPOINT ["/{program}"]\n')
        platform = ("--platform", f"linux/{architecture}")
        buildah("bud", *platform, "--quiet", "--tag", f"{name}:{TAG}", folder)
        return write_archive(name, archive)


def fill_store(images: Sequence[Image]) -> None:
    """Unpack images into the store; an image that is another now makes the store anew."""
    noted = STORE / "images.json"
    present: dict[str, str] = json.loads(noted.read_text()) if noted.exists() else {}
    if any(present.get(image.name, image.digest) != image.digest for image in images):
        shutil.rmtree(STORE)
        present = {}
    missing = [image for image in images if image.name not in present]
    if not missing:
        return
    STORE.mkdir(parents=True, exist_ok=True)
    run(
        *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
        *("bash", HERE / "fill-store.sh", STORE, LOGS / "fill-store.log", TAG),
        *(word for image in missing for word in (image.name, image.archive)),
    )
    noted.write_text(json.dumps(present | {image.name: image.digest for image in missing}))


def copy_store(target: Path) -> None:
    """Give a node its containerd data: the store's files by hard links, databases by copy."""
    if target.exists():
        return
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    run("cp", "--archive", "--link", STORE / "containerd", partial)
    for database in partial.rglob("*.db"):  # alone in changing in place
        own = database.with_suffix(".own")
        shutil.copy2(database, own)
        own.replace(database)
    partial.rename(target)
