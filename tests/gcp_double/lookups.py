"""The few look-ups of the GCP provider that programs use."""

from collections.abc import Mapping
from typing import Any

from tests.gcp_double.cloud import PROJECT, REGION, ZONES, CloudError


def answer(token: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The result of one look-up.

    Raises:
        CloudError: The double does not know this look-up.
    """
    if token == "gcp:organizations/getClientConfig:getClientConfig":
        return {
            "accessToken": "token-of-the-double",
            "project": PROJECT,
            "region": REGION,
            "zone": ZONES[0],
            "id": "client",
            "defaultLabels": {},
        }
    if token == "gcp:organizations/getProject:getProject":
        return {"projectId": PROJECT, "number": "123456789012", "id": f"projects/{PROJECT}", "name": PROJECT}
    if token == "gcp:compute/getZones:getZones":
        return {"names": list(ZONES), "region": args.get("region", REGION), "id": REGION, "project": PROJECT}
    raise CloudError(f"the double does not answer {token}")
