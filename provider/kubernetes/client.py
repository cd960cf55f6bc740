"""The cluster's API as the resources use it: objects as plain JSON, and errors as sentences.

Owns access: credentials, time limits, and telling "no answer" from "refused". Goes through the official
client (https://github.com/kubernetes-client/python), but past its object models: Kubernetes' own field names
are what every document and every other tool uses, and models reject what a newer cluster adds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import urllib3
import yaml
from kubernetes import client
from kubernetes.client.exceptions import ApiException
from kubernetes.config import new_client_from_config_dict
from kubernetes.config.config_exception import ConfigException

from provider.errors import ProviderError
from provider.unreachable import DELETE_UNREACHABLE

Object = Mapping[str, Any]
"""A Kubernetes object as JSON."""

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 30


class ApiUnreachable(ProviderError):  # noqa: N818 -- a state of the cluster
    """Nothing answers at the API server's address, or not with the right certificate."""


class ApiRefused(ProviderError):  # noqa: N818 -- a decision of the cluster
    """The API server answered and said no.

    Attributes:
        status: HTTP status.
        text: The server's own sentence.
    """

    def __init__(self, status: int, text: str, server: str) -> None:
        hint = {
            401: " The credentials are not valid (any more): log in to the cluster again.",
            403: " Ask for the right, or use a context that has it.",
        }.get(status, "")
        super().__init__(f"The cluster at {server} refused ({status}): {text}{hint}")
        self.status = status
        self.text = text


class Api:
    """Access to one cluster.

    Args:
        kubeconfig: Text of a kubeconfig; its current context is used.

    Raises:
        ProviderError: The text is no usable kubeconfig.
    """

    def __init__(self, kubeconfig: str) -> None:
        try:
            loaded: Any = yaml.safe_load(kubeconfig)
            connection = new_client_from_config_dict(loaded, persist_config=False)
        except (yaml.YAMLError, ConfigException, TypeError, AttributeError) as error:
            raise ProviderError(f"The kubeconfig cannot be used: {error}") from error
        connection.configuration.retries = urllib3.Retry(0)
        self.connection = connection
        self.server: str = connection.configuration.host
        self.core = client.CoreV1Api(connection)
        self.apps = client.AppsV1Api(connection)
        self.batch = client.BatchV1Api(connection)

    def call(self, method: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call a method of `core`, `apps` or `batch`; return the answer's JSON.

        Raises:
            ApiUnreachable: There was no answer.
            ApiRefused: The answer is an error, "not found" included.
        """
        return json.loads(self._answer(method, *arguments, **options))

    def find(self, method: Callable[..., Any], *arguments: Any, **options: Any) -> Any | None:
        """As `call`, but None for what does not exist.

        Raises:
            ApiUnreachable, ApiRefused: As `call`.
        """
        try:
            return self.call(method, *arguments, **options)
        except ApiRefused as error:
            if error.status == 404:
                return None
            raise

    def items(self, method: Callable[..., Any], *arguments: Any, **options: Any) -> list[Object]:
        """Objects of a list.

        Raises:
            ApiUnreachable, ApiRefused: As `call`.
        """
        return self.call(method, *arguments, **options)["items"]

    def log(self, namespace: str, pod: str, container: str, **options: Any) -> str:
        """Text of a container's log.

        Raises:
            ApiUnreachable, ApiRefused: As `call`.
        """
        read = self.core.read_namespaced_pod_log
        return self._answer(read, pod, namespace, container=container, **options).decode(errors="replace")

    def _answer(self, method: Callable[..., Any], *arguments: Any, **options: Any) -> bytes:
        limits = {"_preload_content": False, "_request_timeout": (CONNECT_TIMEOUT_S, READ_TIMEOUT_S)}
        try:
            response = method(*arguments, **limits, **options)
        except ApiException as error:
            body = error.body if isinstance(error.body, str) else ""
            raise ApiRefused(
                int(error.status or 0), _sentence(body) or str(error.reason), self.server
            ) from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiUnreachable(_no_answer(self.server, error)) from error
        data: bytes = response.data
        if not 200 <= response.status < 300:
            raise ApiRefused(response.status, _sentence(data.decode(errors="replace")), self.server)
        return data


def unreachable_advice(error: ApiUnreachable) -> ProviderError:
    """The error for an operation that cannot go on without the cluster: one command for each of two cases."""
    return ProviderError(
        f"{error} Nothing was changed. If the cluster still exists, bring back the way to it and run the same"
        f" command again. If it was deleted for good, `{DELETE_UNREACHABLE}=true pulumi destroy` forgets its"
        " objects."
    )


def _sentence(body: str) -> str:
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body.strip()


def _no_answer(server: str, error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    text = str(reason)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return f"Another cluster than the kubeconfig's answers at {server}: its certificate is another."
    for sign, words in (
        ("refused", "connection refused"),
        ("timed out", "no answer in time"),
        ("getaddrinfo", "the host name is unknown"),
        ("not known", "the host name is unknown"),
        ("No route", "no route to it"),
    ):
        if sign.lower() in text.lower():
            return f"The cluster at {server} cannot be reached: {words}."
    return f"The cluster at {server} cannot be reached: {text}."
