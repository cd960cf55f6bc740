"""The shape of the repository: who imports whom, and that every test is found."""

import ast
import re
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGES = ("benchmarks", "bootstrap", "cli", "components", "provider", "stacks", "training")
ALLOWED = {
    "__main__": {"stacks"},
    "benchmarks": {"training", "bootstrap"},
    "bootstrap": set[str](),
    "cli": {"bootstrap", "provider", "stacks", "training"},
    "components": set[str](),
    "provider": {"training"},
    "stacks": {"components", "provider", "training"},
    "training": set[str](),
}
"""For each package, which others of the project it may import."""

LIGHT = {"cost_model", "files", "result", "settings"}
"""Modules of `training` that the infrastructure's side may import: free of TensorFlow."""


def imported_modules(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def sources(package: str) -> list[Path]:
    return [PROJECT / "__main__.py"] if package == "__main__" else sorted((PROJECT / package).rglob("*.py"))


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_the_arrow_allows(package):
    forbidden = set(PACKAGES) - ALLOWED[package] - {package}
    wrong = {
        f"{file.relative_to(PROJECT)} imports {name}"
        for file in sources(package)
        for name in imported_modules(file)
        if name.split(".")[0] in forbidden
    }
    assert not wrong


def test_the_training_program_does_not_know_pulumi():
    wrong = {
        str(f) for f in sources("training") for name in imported_modules(f) if name.split(".")[0] == "pulumi"
    }
    assert not wrong


def test_bootstrap_needs_the_standard_library_alone():
    allowed = sys.stdlib_module_names | {"bootstrap"}
    wrong = {
        name
        for f in sources("bootstrap")
        for name in imported_modules(f)
        if name.split(".")[0] not in allowed
    }
    assert not wrong


@pytest.mark.parametrize("package", ["cli", "provider", "stacks"])
def test_tensorflow_stays_out_of_the_infrastructures_processes(package):
    wrong = {
        f"{file.relative_to(PROJECT)} imports {name}"
        for file in sources(package)
        for name in imported_modules(file)
        if name.split(".")[0] == "tensorflow"
        or (name.startswith("training.") and name.split(".")[1] not in LIGHT)
    }
    assert not wrong


@pytest.mark.parametrize("module", sorted(LIGHT))
def test_the_light_modules_of_training_import_no_tensorflow(module):
    file = PROJECT / "training" / f"{module}.py"
    assert not {name for name in imported_modules(file) if name.split(".")[0] in {"tensorflow", "keras"}}


def test_the_program_itself_is_short():
    assert len((PROJECT / "__main__.py").read_text(encoding="utf-8").splitlines()) < 30


def test_every_file_with_tests_is_collected():
    lost = [
        str(file.relative_to(PROJECT))
        for file in (PROJECT / "tests").rglob("*.py")
        if not file.name.startswith("test_")
        and re.search(r"^\s*(async )?def test_", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert not lost


def test_every_folder_of_tests_is_a_package_so_that_equal_names_do_not_collide():
    folders = {file.parent for file in (PROJECT / "tests").rglob("test_*.py")}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").exists()]


def test_no_test_is_defined_twice_in_one_module():
    for file in (PROJECT / "tests").rglob("test_*.py"):
        names = re.findall(r"^(?:async )?def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(names) == len(set(names)), file


@pytest.mark.parametrize("package", [*PACKAGES, "tests"])
def test_files_are_short_enough_to_be_read_in_one_go(package):
    long = {
        str(file.relative_to(PROJECT)): count
        for file in (PROJECT / package).rglob("*.py")
        if (count := len(file.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert not long
