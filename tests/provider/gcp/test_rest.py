"""Calls of Google's APIs against a local server that answers as they do, errors included."""

import pytest

from provider.gcp.refusals import (
    CredentialsError,
    GoogleError,
    NotFoundError,
    PermissionDeniedError,
    ServiceDisabledError,
)
from provider.gcp.rest import Google, authorised_session, default_credentials
from tests.gcp_double.cloud import PROJECT

PROJECT_PATH = "/compute/v1/projects/{project}"


def test_an_answer_is_read_with_a_token_of_the_default_credentials(google, server):
    assert google.get("compute", PROJECT_PATH)["name"] == PROJECT
    assert server.requests == ["POST /token", f"GET /compute/compute/v1/projects/{PROJECT}"]


def test_refused_credentials_name_the_command_that_logs_in(google, server):
    server.refuse("GET /compute", 401, "Request had invalid authentication credentials.")
    with pytest.raises(CredentialsError, match="gcloud auth application-default login"):
        google.get("compute", PROJECT_PATH)


def test_credentials_that_cannot_be_refreshed_name_the_command_that_logs_in(google, server):
    server.answer_instead("POST /token", 400, {"error": "invalid_grant", "error_description": "revoked"})
    with pytest.raises(CredentialsError, match=r"invalid_grant.*gcloud auth application-default login"):
        google.get("compute", PROJECT_PATH)


def test_missing_credentials_name_the_command_that_logs_in(monkeypatch, tmp_path):
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    with pytest.raises(CredentialsError, match="gcloud auth application-default login"):
        default_credentials()


def test_an_api_that_is_off_names_the_command_that_enables_it(server):
    command = f"gcloud services enable container.googleapis.com --project {PROJECT}"
    with pytest.raises(ServiceDisabledError, match=command):
        Google(PROJECT).get("container", "/v1/projects/{project}/locations/us-central1-a/clusters/one")


def test_the_older_form_of_that_refusal_is_understood_too(google, server):
    body = {"error": {"code": 403, "message": "off", "errors": [{"reason": "accessNotConfigured"}]}}
    server.answer_instead("GET /compute", 403, body)
    with pytest.raises(ServiceDisabledError):
        google.get("compute", PROJECT_PATH)


def test_a_missing_permission_keeps_googles_words(google, server):
    server.refuse("GET /compute", 403, "Required 'compute.projects.get' permission", "forbidden")
    with pytest.raises(PermissionDeniedError, match=r"Required 'compute.projects.get' permission"):
        google.get("compute", PROJECT_PATH)


def test_a_missing_object_is_told_from_other_failures(google):
    with pytest.raises(NotFoundError):
        google.get("compute", f"{PROJECT_PATH}/regions/us-central9")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again_after_the_time_it_names(google, server, status):
    server.answer_instead("GET /compute", status, {}, times=2, Retry_After="0")
    assert google.get("compute", PROJECT_PATH)["name"] == PROJECT
    assert len([one for one in server.requests if one.startswith("GET /compute")]) == 3


def test_a_service_that_stays_busy_is_an_error_with_its_status(google, server):
    server.answer_instead("GET /compute", 503, {}, Retry_After="0")
    with pytest.raises(GoogleError, match="503") as raised:
        google.get("compute", PROJECT_PATH)
    assert raised.value.status == 503


def test_what_changes_something_is_never_sent_twice(google, server):
    server.answer_instead("DELETE /container", 503, {}, Retry_After="0")
    with pytest.raises(GoogleError):
        google.call("DELETE", "container", "/v1/projects/{project}/locations/us-central1-a/clusters/one")
    assert len([one for one in server.requests if one.startswith("DELETE")]) == 1


def test_an_unreachable_service_is_said_plainly(server):
    unreachable = Google(PROJECT, authorised_session(backoff_s=0), lambda _service: "http://127.0.0.1:1")
    with pytest.raises(GoogleError, match=r"compute.googleapis.com cannot be reached.*proxy"):
        unreachable.get("compute", PROJECT_PATH)


def test_pages_are_followed_to_the_last(google, server):
    server.answer_instead("GET /iam", 200, {"accounts": ["one"], "nextPageToken": "more"}, times=1)
    server.answer_instead("GET /iam", 200, {"accounts": ["two"]}, times=1)
    pages = list(google.pages("iam", "/v1/projects/{project}/serviceAccounts"))
    assert [page["accounts"] for page in pages] == [["one"], ["two"]]
