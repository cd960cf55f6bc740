import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from provider.errors import ProviderError
from provider.kubernetes.client import (
    Api,
    ApiRefused,
    ApiUnreachable,
    unreachable_advice,
)
from provider.unreachable import DELETE_UNREACHABLE


def kubeconfig(server):
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {}}],
        }
    )


@contextmanager
def answering(status, body):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *arguments):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Api(kubeconfig(f"http://127.0.0.1:{server.server_port}"))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def closed_port():
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_port
    server.server_close()
    return port


def test_objects_arrive_as_the_api_server_writes_them():
    items = [{"metadata": {"name": "a"}, "kindOfTomorrow": None}]
    with answering(200, {"items": items}) as api:
        assert api.items(api.core.list_node) == items


def test_what_does_not_exist_is_none_where_that_is_an_answer():
    with answering(404, {"message": 'pods "a" not found'}) as api:
        assert api.find(api.core.read_namespaced_pod, "a", "tf") is None
        with pytest.raises(ApiRefused, match=r'\(404\): pods "a" not found'):
            api.call(api.core.read_namespaced_pod, "a", "tf")


def test_a_refusal_carries_the_servers_own_words_and_what_to_do():
    with answering(403, {"message": "nodes is forbidden: User u cannot list"}) as api:
        with pytest.raises(ApiRefused, match="User u cannot list Ask for the right") as caught:
            api.items(api.core.list_node)
        assert caught.value.status == 403


def test_a_closed_port_is_a_cluster_that_cannot_be_reached():
    port = closed_port()
    api = Api(kubeconfig(f"http://127.0.0.1:{port}"))
    with pytest.raises(ApiUnreachable, match=f"127.0.0.1:{port} cannot be reached: connection refused"):
        api.items(api.core.list_node)


def test_an_unknown_host_is_told_as_such():
    api = Api(kubeconfig("http://no-such-host.invalid:1"))
    with pytest.raises(ApiUnreachable, match="the host name is unknown"):
        api.items(api.core.list_node)


@pytest.mark.parametrize("text", ["", "{", "[]", "kind: Config", "clusters: 3"])
def test_what_is_no_kubeconfig_is_refused_as_such(text):
    with pytest.raises(ProviderError, match="The kubeconfig cannot be used"):
        Api(text)


def test_the_advice_has_one_command_for_each_of_two_cases():
    advice = str(unreachable_advice(ApiUnreachable("The cluster cannot be reached.")))
    assert "run the same command again" in advice
    assert f"`{DELETE_UNREACHABLE}=true pulumi destroy`" in advice
