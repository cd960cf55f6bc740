"""What the account may use and what is in use already, read live from Compute Engine.

Regional metrics stand in the region's description, project-wide ones in the project's; both carry limit and
usage (https://cloud.google.com/compute/resource-usage). Quotas of single machine families that exist only in
the Cloud Quotas API are not read: they carry no usage. What a plan needs of all this is not decided here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from provider.gcp.rest import Google


@dataclass(frozen=True, kw_only=True)
class Quota:
    """One metric's limit and what the project uses of it, this stack's own use included."""

    limit: float
    usage: float


def read_quotas(google: Google, region: str) -> Mapping[str, Quota]:
    """Limits and usage by metric, regional and project-wide ones together.

    Args:
        google: Client for the project.
        region: Region, e.g. ``us-central1``; its metrics win over the project's of the same name.

    Raises:
        GoogleError: They cannot be read; the caller decides what to assume then.
    """
    project_wide = google.get("compute", "/compute/v1/projects/{project}")
    regional = google.get("compute", f"/compute/v1/projects/{{project}}/regions/{region}")
    return {
        str(entry["metric"]): Quota(limit=float(entry["limit"]), usage=float(entry["usage"]))
        for source in (project_wide, regional)
        for entry in source.get("quotas", ())
    }
