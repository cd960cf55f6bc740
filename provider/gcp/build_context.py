"""The folder that an image is built from: its content's hash, and the same content as an archive.

Both depend on names, contents and executable bits alone, so that a fresh checkout, another user or a touched
file never starts a build. Light on purpose: the stack's program imports it to show a rebuild in the preview.
"""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

IGNORED_FOLDERS = frozenset({"__pycache__", ".git", ".venv"})
IGNORED_SUFFIXES = frozenset({".pyc", ".pyo", ".swp"})


def context_files(folder: Path) -> list[Path]:
    """Files that belong to a build context, sorted by their path in it.

    Raises:
        FileNotFoundError: There is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    found = (path for path in folder.rglob("*") if path.is_file())
    kept = (path for path in found if not _is_ignored(path.relative_to(folder)))
    return sorted(kept, key=lambda path: path.relative_to(folder).as_posix())


def context_hash(folder: Path, **build_inputs: str | Iterable[str] | Mapping[str, str]) -> str:
    """Hash, 64 hexadecimal digits, of a context and of whatever else decides what is built from it.

    Args:
        folder: The build context.
        build_inputs: E.g. targets, platform, build arguments.

    Raises:
        FileNotFoundError: There is no such folder.
    """
    digest = hashlib.sha256()
    for name, value in sorted(build_inputs.items()):
        plain = sorted(value.items()) if isinstance(value, Mapping) else value
        digest.update(f"{name}={plain if isinstance(plain, str) else list(plain)}\n".encode())
    for path in context_files(folder):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {_mode(path):o} {content}\n".encode())
    return digest.hexdigest()


def packed(folder: Path) -> bytes:
    """The context as a compressed tar archive; the same bytes for the same content.

    Raises:
        FileNotFoundError: There is no such folder.
    """
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in context_files(folder):
            content = path.read_bytes()
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size, member.mode = len(content), _mode(path)
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(archive.getvalue(), mtime=0)


def _is_ignored(path: Path) -> bool:
    return bool(IGNORED_FOLDERS & set(path.parts)) or path.suffix in IGNORED_SUFFIXES


def _mode(path: Path) -> int:
    return 0o755 if path.stat().st_mode & 0o100 else 0o644
