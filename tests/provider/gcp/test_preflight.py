"""What is found out about an account before anything is made: every problem at once, each with its fix."""

import pytest

from provider.gcp.preflight import BOOTSTRAP_SERVICES, check_account, problems
from tests.gcp_double.cloud import PROJECT


def sentences(google):
    return {finding.subject: finding for finding in check_account(google)}


def test_an_account_in_order_has_no_problem(google):
    findings = check_account(google)
    assert problems(findings) == []
    assert [finding.subject for finding in findings] == ["credentials", "project", "billing", "APIs"]


def test_every_problem_is_found_at_once_with_its_command(google, server, cloud):
    with cloud.open() as state:
        state.enabled.remove("serviceusage")
        state.leftovers["billing is off"] = [{}]
    server.refuse("GET /cloudresourcemanager", 403, "The caller does not have permission")
    project, billing, apis = problems(check_account(google))
    assert "gcloud projects list" in project
    assert f"gcloud billing projects link {PROJECT}" in billing
    names = " ".join(f"{service}.googleapis.com" for service in BOOTSTRAP_SERVICES)
    assert f"gcloud services enable {names} --project {PROJECT}" in apis


def test_a_project_that_does_not_exist_names_the_setting(google, server):
    server.refuse("GET /cloudresourcemanager", 404, "not found")
    assert "pulumi config set project" in sentences(google)["project"].sentence


def test_a_project_that_is_being_deleted_names_the_command_that_brings_it_back(google, server):
    server.answer_instead("GET /cloudresourcemanager", 200, {"state": "DELETE_REQUESTED"})
    assert "gcloud projects undelete" in sentences(google)["project"].sentence


def test_refused_credentials_are_the_only_finding(google, server):
    server.refuse("GET ", 401, "Invalid Credentials")
    (finding,) = check_account(google)
    assert finding.is_problem
    assert "gcloud auth application-default login" in finding.sentence


@pytest.mark.parametrize("status", [403, 503])
def test_billing_that_may_not_be_looked_at_is_a_note(google, server, status):
    server.answer_instead("GET /cloudbilling", status, {}, Retry_After="0")
    finding = sentences(google)["billing"]
    assert not finding.is_problem
    assert "could not be looked at" in finding.sentence


def test_an_api_that_only_the_user_can_enable_is_named(google, cloud):
    with cloud.open() as state:
        state.enabled = ["serviceusage", "cloudbilling"]
    found = problems(check_account(google))
    assert any("cloudresourcemanager and compute must be on" in problem for problem in found)


def test_looking_changes_nothing(google, server):
    check_account(google)
    assert {one for one in server.requests if not one.startswith("GET ")} == {"POST /token"}
