"""A hash of the training code, so that a change of code is a new run. Pure but for reading the files."""

import hashlib
import importlib.util
from collections.abc import Iterable
from pathlib import Path


def training_code_hash(project: Path, task: str) -> str:
    """Hash of the training program and of the module that defines the task.

    Args:
        project: The project's folder.
        task: Module path of the task, e.g. `training.tasks.mnist`.

    Returns:
        64 hexadecimal digits; they depend on the files' contents and their paths below `project` alone.

    Raises:
        ModuleNotFoundError: There is no such module, or it is no Python source file.
    """
    files = set((project / "training").rglob("*.py")) | {task_file(task)}
    return _hash(files, project)


def task_file(task: str) -> Path:
    """Source file of the module that defines the task.

    Raises:
        ModuleNotFoundError: There is no such module, or it is no Python source file.
    """
    spec = importlib.util.find_spec(task)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise ModuleNotFoundError(f"No Python source file for module {task!r}", name=task)
    return Path(spec.origin)


def _hash(files: Iterable[Path], project: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(project) if file.is_relative_to(project) else Path(file.name)
        digest.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
