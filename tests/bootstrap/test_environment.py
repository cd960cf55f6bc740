import pytest

from bootstrap import environment
from bootstrap.environment import SetupError, ensure_environment


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with locked requirements, whose installations are recorded instead of made."""
    for name in ("requirements.txt", "requirements-dev.txt", "pyproject.toml"):
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    monkeypatch.setattr(environment, "PROJECT", tmp_path)
    monkeypatch.setattr(environment, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setattr(environment, "_STAMP", tmp_path / ".venv" / ".requirements")
    installed = []
    monkeypatch.setattr(environment, "_pip", lambda *arguments: installed.append(arguments))
    return tmp_path, installed


def test_the_second_set_up_does_nothing(checkout, capsys):
    _, installed = checkout
    ensure_environment("requirements.txt")
    first = len(installed)
    capsys.readouterr()
    ensure_environment("requirements.txt")
    assert first == 2
    assert len(installed) == first
    assert capsys.readouterr().out == ""


def test_packages_are_installed_with_their_hashes_checked(checkout):
    _, installed = checkout
    ensure_environment("requirements.txt")
    assert installed[0] == ("--require-hashes", "-r", "requirements.txt")


def test_changed_requirements_are_installed(checkout):
    project, installed = checkout
    ensure_environment("requirements.txt")
    (project / "requirements.txt").write_text("new==1\n")
    ensure_environment("requirements.txt")
    assert len(installed) == 4


def test_what_the_tests_need_contains_what_the_product_needs(checkout):
    _, installed = checkout
    ensure_environment("requirements-dev.txt")
    ensure_environment("requirements.txt")
    assert len(installed) == 2


def test_an_installation_that_was_cut_off_is_made_again(checkout, monkeypatch):
    _, installed = checkout
    monkeypatch.setattr(environment, "_pip", lambda *_: (_ for _ in ()).throw(SetupError("no network")))
    with pytest.raises(SetupError, match="no network"):
        ensure_environment("requirements.txt")
    monkeypatch.setattr(environment, "_pip", lambda *arguments: installed.append(arguments))
    ensure_environment("requirements.txt")
    assert len(installed) == 2


@pytest.mark.parametrize("version", [(3, 10), (3, 14)])
def test_a_python_that_the_packages_do_not_support_is_refused_with_the_fix(monkeypatch, version):
    monkeypatch.setattr(environment.sys, "version_info", (*version, 0, "final", 0))
    with pytest.raises(
        SetupError, match=r"need 3\.11 to 3\.13: name another one, e\.g\. `make PYTHON=python3\.12 up`"
    ):
        ensure_environment("requirements.txt")
