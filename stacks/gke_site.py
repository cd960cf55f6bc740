"""What everything of a GKE stack in Google Cloud has in common, and what comes before all of it."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.gcp.inventory import Inventory, InventoryArgs
from components.gcp.names import Names, owned
from components.gcp.services import Services, ServicesArgs
from stacks.capacity.plan import Plan
from stacks.settings import GkeSettings, Settings


@dataclass(frozen=True, kw_only=True)
class Site:
    """What everything in the project has in common.

    Attributes:
        names: Physical names and labels.
        project: Id of the Google Cloud project.
        region: Region of network, repository and scheduled call.
        zone: Zone of the cluster.
        google: Provider of all of Google's resources.
        owner: The stack's life.
        apis: The APIs, switched on.
    """

    names: Names
    project: str
    region: str
    zone: str
    google: gcp.Provider
    owner: pulumi.Output[str]
    apis: Services

    @property
    def labels(self) -> dict[str, pulumi.Input[str]]:
        """Labels of everything that can carry labels."""
        return owned(self.names.labels(), self.owner)

    @property
    def description(self) -> pulumi.Output[str]:
        """Stands in the place of labels where Google allows none."""
        return pulumi.Output.concat(self.names.description(), ", life ", self.owner)

    def options(self, *before: pulumi.Resource) -> pulumi.ResourceOptions:
        """Options of a component that comes after the APIs and after these."""
        return pulumi.ResourceOptions(providers=[self.google], depends_on=[self.apis, *before])


def declare_site(settings: Settings, names: Names, plan: Plan) -> Site:
    """Declare what comes before everything else: Google's provider, the stack's inventory, the APIs."""
    project = settings.gke.project
    google = gcp.Provider(
        "google", project=project, region=plan.region, zone=plan.zone, add_pulumi_attribution_label=False
    )
    inventory = Inventory(
        "inventory",
        InventoryArgs(
            project=project,
            region=plan.region,
            zone=plan.zone,
            name=names.base,
            accounts=names.accounts(),
            labels=names.labels(),
            protect_cluster=settings.gke.protect_cluster,
        ),
    )
    apis = Services(
        "apis",
        ServicesArgs(services=needed_services(settings.gke)),
        pulumi.ResourceOptions(providers=[google], depends_on=[inventory]),
    )
    return Site(
        names=names,
        project=project,
        region=plan.region,
        zone=plan.zone,
        google=google,
        owner=inventory.owner,
        apis=apis,
    )


def needed_services(gke: GkeSettings) -> list[str]:
    """Short names of the APIs that a stack with these settings calls."""
    needed = ["compute", "container", "iam"]
    if gke.image_builder != "prebuilt":
        needed.append("artifactregistry")
    if gke.image_builder == "cloudbuild":
        needed += ["cloudbuild", "storage"]
    if gke.ttl_hours:
        needed.append("cloudscheduler")
    return needed
