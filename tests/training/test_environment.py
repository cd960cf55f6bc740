import os
import subprocess
import sys

from training.environment import drop_proxies


def test_proxies_of_any_spelling_are_dropped(monkeypatch) -> None:
    for name in ("http_proxy", "HTTPS_PROXY", "grpc_proxy", "no_proxy", "ALL_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("PROXY_OF_MINE", "stays")
    drop_proxies()
    assert [name for name in os.environ if "proxy" in name.lower()] == ["PROXY_OF_MINE"]


def test_importing_tensorflow_is_silent_and_starts_no_thread() -> None:
    script = (
        "import os; from training.environment import import_tensorflow; import_tensorflow(); "
        "print(len(os.listdir('/proc/self/task')))"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("TF_", "OPENBLAS_NUM"))
    }
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
