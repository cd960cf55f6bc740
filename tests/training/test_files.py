import pytest

from training.files import write_atomically


def test_a_file_is_replaced_as_a_whole(tmp_path) -> None:
    path = tmp_path / "a.json"
    for content in (b"one", b"two"):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_and_leaves_nothing(tmp_path) -> None:
    path = tmp_path / "missing" / "a.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(path, b"x")
    assert caught.value.filename == str(path)
    (tmp_path / "b.json").mkdir()
    with pytest.raises(OSError, match=r"b\.json"):
        write_atomically(tmp_path / "b.json", b"x")
    assert [found.name for found in tmp_path.iterdir()] == ["b.json"]
