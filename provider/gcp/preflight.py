"""What can be known of a Google Cloud account before the first resource is made: all of it, in one go.

Each check reads only. A check that cannot be made says so as a note; what would certainly fail later is a
problem, with the command that fixes it. Quotas, zone and machines are the plan's business.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from provider.gcp.refusals import (
    CredentialsError,
    GoogleError,
    NotFoundError,
    PermissionDeniedError,
    ServiceDisabledError,
)
from provider.gcp.rest import Google
from provider.gcp.zones import all_zones, region_of

BOOTSTRAP_SERVICES = ("cloudresourcemanager", "compute", "serviceusage")
"""APIs that must be on before the first `up`: by them quotas are read, others enabled, roles granted."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The outcome of one check.

    Attributes:
        subject: What was looked at, in a word or two.
        sentence: What was found; for a problem, with the command that fixes it.
        is_problem: Whether nothing may be created while it lasts.
    """

    subject: str
    sentence: str
    is_problem: bool = False


Check = Callable[[Google], Finding]


def check_account(google: Google) -> list[Finding]:
    """Look at credentials, project, billing and APIs.

    Args:
        google: Client for the project.

    Returns:
        One finding a check, in a fixed order; the credentials' alone where they are refused.
    """
    checks: list[Check] = [_project, _billing, _services]
    with ThreadPoolExecutor(len(checks)) as pool:
        found = list(pool.map(_looked, checks, [google] * len(checks)))
    refused = [finding for finding in found if finding.subject == "credentials"]
    if refused:
        return refused[:1]
    return [
        Finding(subject="credentials", sentence="Google accepts the application default credentials"),
        *found,
    ]


def check_zone(google: Google, zone: str) -> Finding | None:
    """A finding where there is no such zone; None where there is, or where Google doesn't say.

    Args:
        google: Client for the project.
        zone: What has the form of a zone's name.
    """
    try:
        zones = all_zones(google)
    except GoogleError:
        return None
    if not zones or zone in zones:
        return None
    near = [one for one in zones if region_of(one) == region_of(zone)]
    others = (
        f"Zones of {region_of(zone)}: {', '.join(near)}"
        if near
        else "`gcloud compute zones list` shows all there are"
    )
    sentence = f"zone={zone} does not exist, or is down. {others}; run `pulumi config set zone <zone>`."
    return Finding(subject="zone", sentence=sentence, is_problem=True)


def problems(findings: Sequence[Finding]) -> list[str]:
    """The sentences of those findings that nothing may be created with."""
    return [f"{finding.subject}: {finding.sentence}" for finding in findings if finding.is_problem]


def _looked(check: Check, google: Google) -> Finding:
    try:
        return check(google)
    except CredentialsError as error:
        return Finding(subject="credentials", sentence=str(error), is_problem=True)


def _project(google: Google) -> Finding:
    try:
        found = google.get("cloudresourcemanager", "/v3/projects/{project}")
    except ServiceDisabledError as error:
        return Finding(subject="project", sentence=str(error), is_problem=True)
    except (NotFoundError, PermissionDeniedError):
        sentence = (
            f"project={google.project} does not exist, or these credentials may not see it. `gcloud projects"
            " list` shows yours; run `pulumi config set project <id>`."
        )
        return Finding(subject="project", sentence=sentence, is_problem=True)
    except GoogleError as error:
        return Finding(subject="project", sentence=str(error), is_problem=True)
    if found.get("state", "ACTIVE") != "ACTIVE":
        sentence = (
            f"project {google.project} is {found['state']}: run `gcloud projects undelete {google.project}`."
        )
        return Finding(subject="project", sentence=sentence, is_problem=True)
    return Finding(subject="project", sentence=f"{google.project} exists")


def _billing(google: Google) -> Finding:
    try:
        found = google.get("cloudbilling", "/v1/projects/{project}/billingInfo")
    except CredentialsError:
        raise
    except GoogleError as error:
        # asking needs an API and a permission of its own that nothing else here needs
        return Finding(subject="billing", sentence=f"could not be looked at ({error})")
    if found.get("billingEnabled"):
        return Finding(
            subject="billing", sentence=f"{google.project} is billed to {found.get('billingAccountName')}"
        )
    sentence = (
        f"project {google.project} has no billing account, without which no machine can be made. Run"
        f" `gcloud billing projects link {google.project} --billing-account <id>`; `gcloud billing accounts"
        " list` shows yours."
    )
    return Finding(subject="billing", sentence=sentence, is_problem=True)


def _services(google: Google) -> Finding:
    enable = f"gcloud services enable {' '.join(f'{one}.googleapis.com' for one in BOOTSTRAP_SERVICES)}"
    try:
        pages = google.pages("serviceusage", "/v1/projects/{project}/services", filter="state:ENABLED")
        enabled = {
            str(one["config"]["name"]).partition(".")[0] for page in pages for one in page.get("services", ())
        }
    except ServiceDisabledError:
        sentence = f"the API that enables APIs is off itself. Run `{enable} --project {google.project}`."
        return Finding(subject="APIs", sentence=sentence, is_problem=True)
    except PermissionDeniedError as error:
        return Finding(subject="APIs", sentence=str(error), is_problem=True)
    except CredentialsError:
        raise
    except GoogleError as error:
        return Finding(subject="APIs", sentence=f"could not be looked at ({error})")
    missing = [one for one in BOOTSTRAP_SERVICES if one not in enabled]
    if missing:
        sentence = (
            f"{' and '.join(missing)} must be on, so that quotas can be read and the stack can enable the"
            f" others itself. Run `{enable} --project {google.project}`."
        )
        return Finding(subject="APIs", sentence=sentence, is_problem=True)
    return Finding(subject="APIs", sentence="the stack can enable what it needs")
