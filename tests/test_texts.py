"""What the repository says: the README equals the code, and nothing tells of one machine or one registry."""

import re
import subprocess
from pathlib import Path

from stacks.stack_file import declared_settings

PROJECT = Path(__file__).resolve().parent.parent


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return [PROJECT / name for name in listed.stdout.split("\0") if name]


def settings_table() -> str:
    """The README's table of settings, as it must read for what `Pulumi.yaml` declares."""
    rows = ["| Setting | Type | Default | Meaning |", "|---|---|---|---|"]
    for key, setting in declared_settings(PROJECT).items():
        default = setting["default"]
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        rows.append(
            f"| `{key}` | {setting['type']} | {f'`{shown}`' if shown else ''} | {setting['description']} |"
        )
    return "\n".join(rows)


def test_the_readmes_table_of_settings_equals_what_pulumi_yaml_declares():
    assert settings_table() in (PROJECT / "README.md").read_text(encoding="utf-8"), (
        "README.md needs this table:\n" + settings_table()
    )


def test_no_lock_file_records_where_packages_are_downloaded_from():
    for file in PROJECT.glob("**/requirements*.txt"):
        if ".venv" not in file.parts:
            assert "://" not in file.read_text(encoding="utf-8"), file


def test_every_locked_package_has_a_hash():
    for name in ("requirements.txt", "requirements-dev.txt"):
        entries = (PROJECT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        assert entries
        assert not [entry for entry in entries if "--hash=sha256:" not in entry], name


def test_the_locked_packages_cover_what_the_project_declares():
    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.findall(r'^    "([\w-]+)[<>=]', project, re.MULTILINE)
    locked = (PROJECT / "requirements-dev.txt").read_text(encoding="utf-8").lower()
    assert not [name for name in declared if f"\n{name.lower()}==" not in f"\n{locked}"]


def test_no_text_names_a_path_of_the_machine_it_was_written_on():
    wrong = re.compile(r"/(root|work)/")
    for file in tracked_files():
        if file.suffix in {".py", ".md", ".toml", ".yaml", ".sh", ".txt"} and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                assert not wrong.search(line), f"{file}: {line}"


def test_every_link_of_the_documentation_to_a_file_leads_somewhere():
    for page in [PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
