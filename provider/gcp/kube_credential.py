"""A credential for a GKE cluster's API, on standard output: ``python -m provider.gcp.kube_credential``.

Kubernetes' tools run this for each token that they need and run it again when it has expired
(https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins).
"""

import json
import sys
from datetime import UTC, datetime

from google.auth.transport.requests import Request

from provider.gcp.refusals import GoogleError, explained
from provider.gcp.rest import default_credentials


def main() -> int:
    """Print the credential; return the exit code."""
    try:
        credentials = default_credentials()
        with explained("oauth2", ""):
            credentials.refresh(Request())
    except GoogleError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(exec_credential(str(credentials.token), credentials.expiry)) + "\n")
    return 0


def exec_credential(token: str, expiry: datetime | None) -> dict[str, object]:
    """The credential in the form that Kubernetes' tools read.

    Args:
        token: An access token.
        expiry: When it expires, in UTC; Google's library leaves the zone out.
    """
    status = {"token": token}
    if expiry is not None:
        status["expirationTimestamp"] = expiry.replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}


if __name__ == "__main__":
    sys.exit(main())
