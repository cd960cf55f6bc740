import pytest

from stacks.stack_file import StackFileError, own_values, stack_target, stack_values


@pytest.fixture
def project(tmp_path):
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text(
        "config:\n  target: {default: local}\n  workers: {default: 6}\n  fit: {default: false}\n"
    )
    (tmp_path / "stacks" / "Pulumi.small.yaml").write_text(
        "config:\n  tfcluster:workers: 2\n  tfcluster:fit: true\n  gcp:zone: us-central1-a\n"
    )
    return tmp_path


def test_the_stacks_own_values_go_before_the_defaults(project):
    assert stack_values(project, "small") == {"target": "local", "workers": "2", "fit": "true"}


def test_values_of_another_namespace_are_kept_apart(project):
    assert own_values(project, "small", "gcp") == {"zone": "us-central1-a"}


def test_the_target_of_a_stack_is_known_without_the_engine(project):
    assert stack_target(project, "small") == "local"


def test_an_unknown_stack_is_refused_with_the_stacks_there_are(project):
    with pytest.raises(StackFileError, match=r"stack smal has no file .*There are: small"):
        stack_values(project, "smal")


@pytest.mark.parametrize("content", ["a: [", "- a list"])
def test_a_file_that_is_no_mapping_is_refused_by_name(project, content):
    (project / "stacks" / "Pulumi.small.yaml").write_text(content)
    with pytest.raises(StackFileError, match=r"Pulumi\.small\.yaml"):
        stack_values(project, "small")


def test_a_file_without_settings_leaves_the_defaults(project):
    (project / "stacks" / "Pulumi.small.yaml").write_text("encryptionsalt: v1:abc\n")
    assert stack_values(project, "small")["workers"] == "6"
