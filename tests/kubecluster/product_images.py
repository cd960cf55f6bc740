"""Builds the product's own images from `training/Dockerfile`, without a daemon and without an image registry.

The base image, a build argument of the Dockerfile, is made here from Debian's packages. Built once for each
state of the build's context; only the newest is kept.
"""

import fcntl
import hashlib
import shutil
from pathlib import Path

from tests.kubecluster.image_store import TAG, Image, buildah, read_archive, write_archive
from tests.kubecluster.places import CACHE
from tests.kubecluster.processes import run

CONTEXT = Path(__file__).resolve().parents[2] / "training"
TARGETS = ("server", "interface")
BASE = "kubecluster.test/base"
_BASE_PACKAGES = "python3,python3-venv,ca-certificates"
_BASE_ENVIRONMENT = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# What lets pip in the build reach packages as this machine does.
_MACHINE_FILES = ("/etc/ssl/certs", "/etc/pip.conf", "/etc/resolv.conf")


def product_images() -> dict[str, Image]:
    """The images by target, built if they are not there."""
    folder = CACHE / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        current = folder / _context_digest()
        if not (current / "complete").exists():
            _make_base()
            for target in TARGETS:
                _build(target, current)
            (current / "complete").touch()
            for old in folder.iterdir():
                if old.is_dir() and old != current:
                    shutil.rmtree(old)
            # Layers of earlier states, which nothing refers to any more.
            buildah("rmi", "--prune", "--force")
        return {target: read_archive(_name(target), current / f"{target}.tar") for target in TARGETS}


def _name(target: str) -> str:
    return f"kubecluster.test/tfcluster-{target}"


def _context_digest() -> str:
    digest = hashlib.sha256()
    files = [*CONTEXT.rglob("*.py"), *CONTEXT.glob("requirements-*.txt"), CONTEXT / "Dockerfile"]
    for path in sorted([*files, CONTEXT / ".dockerignore", Path(__file__)]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _make_base() -> None:
    """Debian 12 with Python, as an image of buildah's storage."""
    if buildah("images", "--quiet", "--filter", f"reference={BASE}:{TAG}").strip():
        return
    archive = CACHE / "base.tar"
    run("mmdebstrap", "--quiet", "--variant=minbase", f"--include={_BASE_PACKAGES}", "bookworm", archive)
    container = buildah("from", "scratch").strip()
    buildah("add", "--quiet", container, archive, "/")
    buildah("config", "--env", _BASE_ENVIRONMENT, container)
    buildah("commit", "--quiet", "--rm", container, f"{BASE}:{TAG}")
    archive.unlink()


def _build(target: str, folder: Path) -> None:
    volumes = [f"--volume={path}:{path}:ro" for path in _MACHINE_FILES if Path(path).exists()]
    buildah(
        *(
            "bud",
            "--quiet",
            "--layers",
            "--pull-never",
            "--target",
            target,
            "--tag",
            f"{_name(target)}:{TAG}",
        ),
        *("--build-arg", f"BASE_IMAGE={BASE}:{TAG}", *volumes, "--file", CONTEXT / "Dockerfile", CONTEXT),
    )
    write_archive(_name(target), folder / f"{target}.tar")
