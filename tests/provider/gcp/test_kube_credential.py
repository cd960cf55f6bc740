"""The program that hands out tokens for a cluster's API."""

import json
import subprocess
import sys
from datetime import datetime

from provider.gcp.kube_credential import exec_credential
from tests.gcp_double.rest import TOKEN


def test_a_fresh_token_is_printed_as_kubernetes_tools_read_it(server):
    del server
    done = subprocess.run(
        [sys.executable, "-m", "provider.gcp.kube_credential"], capture_output=True, text=True, check=True
    )
    credential = json.loads(done.stdout)
    assert credential["kind"] == "ExecCredential"
    assert credential["status"]["token"] == TOKEN
    assert datetime.fromisoformat(credential["status"]["expirationTimestamp"])


def test_refused_credentials_are_one_line_and_an_exit_code(server):
    server.answer_instead("POST /token", 400, {"error": "invalid_grant"})
    done = subprocess.run(
        [sys.executable, "-m", "provider.gcp.kube_credential"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "gcloud auth application-default login" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_token_without_an_end_has_no_time_stamp():
    assert exec_credential("t", None)["status"] == {"token": "t"}
