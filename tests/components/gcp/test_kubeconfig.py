"""The kubeconfig: no secret in it, and readable for Kubernetes' own client."""

import json

from kubernetes.config import new_client_from_config_dict

from components.gcp.kubeconfig import CONTEXT, kubeconfig


def test_it_leads_to_the_control_planes_name_with_a_fresh_token_each_time():
    config = json.loads(kubeconfig("gke-1.us-central1-a.gke.goog", python="/project/.venv/bin/python"))
    assert config["clusters"][0]["cluster"] == {"server": "https://gke-1.us-central1-a.gke.goog"}
    credential = config["users"][0]["user"]["exec"]
    assert credential["command"] == "/project/.venv/bin/python"
    assert credential["args"] == ["-m", "provider.gcp.kube_credential"]
    assert config["current-context"] == CONTEXT


def test_it_is_the_same_text_each_time_and_holds_no_secret():
    text = kubeconfig("gke-1.gke.goog", python="python")
    assert text == kubeconfig("gke-1.gke.goog", python="python")
    assert "token" not in text
    assert "certificate" not in text


def test_kubernetes_own_client_runs_the_credential(tmp_path):
    program = tmp_path / "credential"
    token = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "t0"},
    }
    program.write_text(f"#!/bin/sh\necho '{json.dumps(token)}'\n")
    program.chmod(0o755)
    client = new_client_from_config_dict(json.loads(kubeconfig("gke-1.gke.goog", python=str(program))))
    assert client.configuration.host == "https://gke-1.gke.goog"
    assert client.configuration.auth_settings()["BearerToken"]["value"] == "Bearer t0"
    client.close()
