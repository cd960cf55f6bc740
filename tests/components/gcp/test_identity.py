"""Service accounts."""

from components.gcp.identity import NODE_ROLES, ServiceAccount, ServiceAccountArgs
from tests.components.gcp.computed import google_recorder
from tests.components.mocks import declared


def account(**changes):
    given = {
        "project": "demo-project",
        "account_id": "tf-nodes",
        "display_name": "Nodes",
        "description": "of a stack",
        "project_roles": NODE_ROLES,
    }
    return declared(lambda: ServiceAccount("nodes", ServiceAccountArgs(**given | changes)), google_recorder())


def test_an_account_that_an_interrupted_up_left_behind_is_taken_over():
    assert account().inputs_of("nodes-account")["createIgnoreAlreadyExists"] is True


def test_nodes_have_the_one_role_that_google_made_for_them():
    grants = [
        one.inputs["role"] for one in account().resources if one.typ == "gcp:projects/iAMMember:IAMMember"
    ]
    assert grants == ["roles/container.defaultNodeServiceAccount"]


def test_an_account_without_project_roles_has_no_grant():
    kinds = [kind for kind, _ in account(project_roles=()).inventory()]
    assert "gcp:projects/iAMMember:IAMMember" not in kinds
