"""Application default credentials of a made-up service account that is let in by the double's REST server."""

import functools
import json
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from provider.gcp.rest import ENDPOINT_VARIABLE
from tests.gcp_double.cloud import PROJECT


def write_credentials(folder: Path, address: str) -> dict[str, str]:
    """Write a key file whose tokens come from the server at an address.

    Returns:
        Environment that makes Google's libraries and ours use the key and the server.
    """
    file = folder / "application_default_credentials.json"
    file.write_text(
        json.dumps(
            {
                "type": "service_account",
                "project_id": PROJECT,
                "private_key_id": "1",
                "private_key": _private_key(),
                "client_email": f"somebody@{PROJECT}.iam.gserviceaccount.com",
                "token_uri": f"{address}/token",
            }
        )
    )
    return {"GOOGLE_APPLICATION_CREDENTIALS": str(file), ENDPOINT_VARIABLE: address}


@functools.cache
def _private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
