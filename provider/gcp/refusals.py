"""Google's refusals in words that say what to do, whatever client met them.

Every error names the API and carries the command that helps; callers tell the kinds apart by class.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import google.auth.exceptions
import requests
from google.api_core import exceptions

from provider.errors import ProviderError

LOGIN = "gcloud auth application-default login"


class GoogleError(ProviderError):
    """Google refused a call; the message says which, why and what to do.

    Attributes:
        status: HTTP status, 0 where no answer came.
        detail: Google's own words.
    """

    def __init__(self, message: str, *, status: int = 0, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


class CredentialsError(GoogleError):
    """There are no application default credentials, or Google doesn't accept them (any more)."""


class ServiceDisabledError(GoogleError):
    """The API is not enabled in the project, or was enabled only moments ago."""


class PermissionDeniedError(GoogleError):
    """The account lacks a permission."""


class NotFoundError(GoogleError):
    """What was asked for does not exist."""


def error_of(status: int, body: Mapping[str, Any], service: str, project: str) -> GoogleError:
    """The error that an answer stands for.

    Args:
        status: HTTP status, 400 or above.
        body: JSON object of the answer; empty where there was none.
        service: Short name of the API that was called.
        project: Project on whose behalf.
    """
    error = body.get("error")
    described: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
    text = str(described.get("message", f"HTTP status {status} without an explanation"))
    reasons = {
        str(entry.get("reason", "")) for key in ("details", "errors") for entry in described.get(key, ())
    }
    given: dict[str, Any] = {"status": status, "detail": text}
    if status == 401:
        return CredentialsError(f"Google does not accept the credentials ({text}). Run `{LOGIN}`.", **given)
    if reasons & {"SERVICE_DISABLED", "accessNotConfigured"}:
        return ServiceDisabledError(
            f"the API {service}.googleapis.com is not enabled in project {project}."
            f" Run `gcloud services enable {service}.googleapis.com --project {project}`.",
            **given,
        )
    if status == 403:
        return PermissionDeniedError(
            f"{service}.googleapis.com refused ({text}). Ask an owner of project {project} for that"
            f" permission, or log in as somebody who has it with `{LOGIN}`.",
            **given,
        )
    if status == 404:
        return NotFoundError(f"{service}.googleapis.com: {text}", **given)
    return GoogleError(f"{service}.googleapis.com answered {status}: {text}", **given)


@contextmanager
def explained(service: str, project: str) -> Generator[None]:
    """Turn what Google's client libraries and `requests` raise in a block into `GoogleError`.

    Args:
        service: Short name of the API that the block calls.
        project: Project on whose behalf.

    Raises:
        GoogleError: One of its kinds.
    """
    try:
        yield
    except exceptions.GoogleAPICallError as error:
        said = re.sub(
            r"^[A-Z]+ \S+: ", "", str(error.message)
        )  # the libraries put the address before the words
        body = {"error": {"message": said, "details": [{"reason": error.reason or ""}]}}
        raise error_of(int(error.code or 0), body, service, project) from error
    except google.auth.exceptions.GoogleAuthError as error:
        raise CredentialsError(
            f"Google does not accept the credentials ({_first_line(error)}). Run `{LOGIN}`.",
            detail=str(error),
        ) from error
    except requests.RequestException as error:
        raise GoogleError(
            f"{service}.googleapis.com cannot be reached ({type(error).__name__}). Check the network"
            " connection and any proxy setting.",
            detail=str(error),
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:200]
