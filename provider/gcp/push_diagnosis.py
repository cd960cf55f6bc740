"""Why a registry refused an image: Google's one message covers a missing API, repository, role and login."""

import re
from collections.abc import Sequence

from provider.gcp.refusals import NotFoundError, ServiceDisabledError
from provider.gcp.rest import Google

WRITER = "roles/artifactregistry.writer"
_REFUSED = re.compile(
    r"denied|403 Forbidden|unauthorized|401 Unauthorized|name unknown|404 Not Found", re.IGNORECASE
)


def why_push_was_refused(google: Google, repository: str, account: str, log: Sequence[str]) -> str | None:
    """The first of "API on? repository there? role there?" that is answered with no.

    Args:
        google: Client for the project that builds.
        repository: E.g. ``us-central1-docker.pkg.dev/my-project/my-repository``.
        account: E-mail address of the service account that pushed.
        log: Last lines of the build.

    Returns:
        One sentence with the fix, or None where the log tells of no refusal.

    Raises:
        GoogleError: The registry cannot be asked.
    """
    if not any(_REFUSED.search(line) for line in log):
        return None
    host, project, name = repository.split("/")
    location = host.removesuffix("-docker.pkg.dev")
    path = f"/v1/projects/{project}/locations/{location}/repositories/{name}"
    try:
        google.get("artifactregistry", path)
        policy = google.get("artifactregistry", f"{path}:getIamPolicy")
    except ServiceDisabledError as error:
        return str(error)
    except NotFoundError:
        return f"there is no repository {repository}. Run `pulumi up --refresh`, which makes it."
    writers = [binding["members"] for binding in policy.get("bindings", ()) if binding["role"] == WRITER]
    if f"serviceAccount:{account}" not in [member for members in writers for member in members]:
        return f"{account} has no {WRITER} on {repository}. Run `pulumi up --refresh`, which grants it."
    return (
        f"{account} has {WRITER} on {repository}, so the login did not reach the registry, or the role is"
        " only minutes old. Run `pulumi up` again in a few minutes."
    )
