"""Google's REST APIs: one authorised client.

Owns addresses, authorisation, paging and retries; what is asked and what the answers mean belongs to the
modules that use it. Written after the public descriptions of the APIs (https://cloud.google.com/apis/docs)
and tried against a local server that answers as they do, not against a live account.
"""

import os
from collections.abc import Iterator
from typing import Any, Protocol

import google.auth
import google.auth.credentials
import google.auth.exceptions
import requests
from google.auth.transport.requests import AuthorizedSession
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from provider.gcp.refusals import LOGIN, CredentialsError, error_of, explained

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The one scope that is asked for; what may be done with it is up to the account's roles."""

ENDPOINT_VARIABLE = "TFCLUSTER_GOOGLE_ENDPOINT"
"""Environment variable with the address of a server that answers for all of Google's APIs, for tests: the API
`compute` is then at `<address>/compute`, and so on."""

TIMEOUT_S = 60.0
_RETRIED = (429, 500, 502, 503, 504)


class Session(Protocol):
    """The part of an authorised session that is used here."""

    def request(self, method: str, url: str, **arguments: Any) -> requests.Response:
        """Send one request."""
        ...


def endpoint(service: str) -> str:
    """Address of an API, e.g. ``https://compute.googleapis.com`` for ``compute``."""
    own = os.environ.get(ENDPOINT_VARIABLE)
    return f"{own}/{service}" if own else f"https://{service}.googleapis.com"


def default_credentials() -> google.auth.credentials.Credentials:
    """The application default credentials, not refreshed yet.

    Raises:
        CredentialsError: There are none.
    """
    try:
        credentials, _ = google.auth.default(scopes=[SCOPE])
    except google.auth.exceptions.DefaultCredentialsError as error:
        raise CredentialsError(
            f"no Google credentials were found. Run `{LOGIN}`.", detail=str(error)
        ) from error
    return credentials


def authorised_session(
    credentials: google.auth.credentials.Credentials | None = None, backoff_s: float = 1
) -> Session:
    """A session that sends a fresh token with each request and tries again where a service is busy.

    Args:
        credentials: Whose; by default the application default credentials.
        backoff_s: Wait before the second new try; it doubles with each further one.

    Raises:
        CredentialsError: None were given and none were found.
    """
    session = AuthorizedSession(credentials or default_credentials())
    retries = Retry(
        total=4,
        backoff_factor=backoff_s / 2,
        status_forcelist=_RETRIED,
        allowed_methods={"GET"},
        raise_on_status=False,
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=retries))
    return session


class Google:
    """Calls of Google's REST APIs for one project.

    Args:
        project: Id of the project.
        session: Sends the requests.
        address_of: Address of each API by its short name.
    """

    def __init__(self, project: str, session: Session | None = None, address_of: Any = endpoint) -> None:
        self.project = project
        self._session = session or authorised_session()
        self._address_of = address_of

    def call(self, method: str, service: str, path: str, **arguments: Any) -> dict[str, Any]:
        """Send one request; return the JSON object of the answer.

        Args:
            method: ``GET``, ``POST``, ``PUT`` or ``DELETE``.
            service: Short name of the API, e.g. ``compute``.
            path: Path with a leading slash; ``{project}`` in it is filled in.
            arguments: As `requests.request` takes them, e.g. ``params`` or ``json``.

        Raises:
            GoogleError: One of its kinds, after the answer's status.
        """
        url = f"{self._address_of(service)}{path.replace('{project}', self.project)}"
        with explained(service, self.project):
            answer = self._session.request(method, url, timeout=TIMEOUT_S, **arguments)
        if answer.status_code >= 400:
            raise error_of(answer.status_code, _json(answer), service, self.project)
        return _json(answer)

    def get(self, service: str, path: str, **params: str) -> dict[str, Any]:
        """Read one object.

        Raises:
            GoogleError: As `call`.
        """
        return self.call("GET", service, path, params=params)

    def pages(self, service: str, path: str, **params: str) -> Iterator[dict[str, Any]]:
        """Read a list page by page.

        Raises:
            GoogleError: As `call`.
        """
        token = ""
        while True:
            page = self.get(service, path, **params, **({"pageToken": token} if token else {}))
            yield page
            token = page.get("nextPageToken", "")
            if not token:
                return


def _json(answer: requests.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except requests.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}
