"""How the cluster's API is reached: a kubeconfig without a secret in it, for every tool alike.

The control plane's DNS name has a public certificate, and IAM decides who may connect. A fresh token comes
from the project's own small program at each use, so that neither `gcloud` nor a plug-in of it is needed, and
no token is kept in the stack's state. Not tried against a live account.
"""

import json
import sys

CONTEXT = "gke"


def kubeconfig(endpoint: str, python: str = sys.executable) -> str:
    """Text of a kubeconfig with one context.

    Args:
        endpoint: DNS name of the control plane, or the address of a server where it begins with ``http``.
        python: Python that has the project installed.
    """
    server = endpoint if endpoint.startswith("http") else f"https://{endpoint}"
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": CONTEXT,
            "clusters": [{"name": CONTEXT, "cluster": {"server": server}}],
            "contexts": [{"name": CONTEXT, "context": {"cluster": CONTEXT, "user": CONTEXT}}],
            "users": [
                {
                    "name": CONTEXT,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1",
                            "command": python,
                            "args": ["-m", "provider.gcp.kube_credential"],
                            "interactiveMode": "Never",
                            "provideClusterInfo": False,
                        }
                    },
                }
            ],
        },
        indent=2,
    )
