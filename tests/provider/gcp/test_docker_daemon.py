"""Where Docker's daemon is looked for, and what is said where it does not answer."""

import hashlib
import json
import socket
import threading

import pytest

from provider.gcp.docker_daemon import answers, daemon_address, docker_problem


@pytest.fixture
def daemon(tmp_path):
    """Something that answers a ping at a socket, once."""
    path = tmp_path / "docker.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(1)

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nOK")

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"unix://{path}"
    with socket.socket(socket.AF_UNIX) as wake:
        wake.connect_ex(str(path))
    thread.join(5)
    listener.close()


def test_docker_host_wins(tmp_path):
    assert daemon_address({"DOCKER_HOST": "tcp://10.0.0.1:2375"}, tmp_path) == "tcp://10.0.0.1:2375"


def test_the_active_context_comes_next(tmp_path):
    folder = tmp_path / ".docker"
    digest = hashlib.sha256(b"colima").hexdigest()
    (folder / "contexts" / "meta" / digest).mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"currentContext": "colima"}))
    endpoints = {"Endpoints": {"docker": {"Host": "unix:///home/me/colima.sock"}}}
    (folder / "contexts" / "meta" / digest / "meta.json").write_text(json.dumps(endpoints))
    assert daemon_address({}, tmp_path) == "unix:///home/me/colima.sock"


def test_a_usual_socket_comes_last(tmp_path):
    (tmp_path / ".docker" / "run").mkdir(parents=True)
    (tmp_path / ".docker" / "run" / "docker.sock").touch()
    assert daemon_address({}, tmp_path) in (
        f"unix://{tmp_path}/.docker/run/docker.sock",
        "unix:///var/run/docker.sock",
    )


def test_a_daemon_that_answers_is_no_problem(daemon, tmp_path):
    assert docker_problem({"DOCKER_HOST": daemon}, tmp_path) is None


def test_a_daemon_that_does_not_answer_names_the_address_and_the_alternatives(tmp_path):
    problem = docker_problem({"DOCKER_HOST": "unix:///nonexistent"}, tmp_path)
    assert problem is not None
    assert "unix:///nonexistent" in problem
    assert "pulumi config set imageBuilder cloudbuild" in problem
    assert "imageBuilder prebuilt" in problem


def test_something_else_at_the_address_is_no_daemon(tmp_path):
    assert not answers("unix:///dev/null")
    assert not answers("tcp://127.0.0.1:1")
