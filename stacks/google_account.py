"""What a GKE stack learns of its Google Cloud project before anything is declared.

Reads only, everything at once. What can't be read is assumed to be as small as a free trial's, never as "no
limit"; what would certainly fail later is a problem, which ends the program with all others.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from components.gcp.names import Names
from provider.errors import ProviderError
from provider.gcp.clusters import TEMPORARY_POOL, NodePool, count_nodes, find_clusters
from provider.gcp.docker_daemon import docker_problem
from provider.gcp.preflight import Finding, check_account, check_zone
from provider.gcp.quotas import Quota as LiveQuota
from provider.gcp.quotas import read_quotas
from provider.gcp.refusals import GoogleError
from provider.gcp.rest import Google
from provider.gcp.zones import machine_types_of, region_of
from stacks.capacity.demand import pool_use
from stacks.capacity.from_settings import plan_request
from stacks.capacity.machines import MACHINE_TYPES
from stacks.capacity.plan import NODE_LABELS, Disk, Plan, Pool, Refusal
from stacks.capacity.planner import decide
from stacks.capacity.quotas import TRIAL, Quota, Quotas
from stacks.capacity.regions import is_zone
from stacks.gke_settings import useless_settings
from stacks.image_references import image_problem
from stacks.settings import NAMESPACE, Settings

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class GoogleAccount:
    """What was found.

    Attributes:
        findings: Outcome of each check, in a fixed order.
        quotas: Limits and use; the free trial's where they couldn't be read.
        offered: Machine types of the zone, `None` where they couldn't be read.
        running: Pools that the stack has now.
        temporary: What a failed creation left of the pool that makes way for the stack's own.
    """

    findings: tuple[Finding, ...]
    quotas: Quotas
    offered: frozenset[str] | None
    running: tuple[Pool, ...]
    temporary: tuple[Pool, ...] = ()

    @property
    def problems(self) -> list[str]:
        """Sentences on what nothing may be created with, each with its fix."""
        return [f"{one.subject}: {one.sentence}" for one in self.findings if one.is_problem]


def read_account(settings: Settings, stack: str) -> GoogleAccount:
    """Look at everything that a plan and a preflight need.

    Args:
        settings: The stack's settings.
        stack: Name of the stack.
    """
    local = [*setting_findings(settings), *image_findings(settings)]
    cluster_name = Names(project=NAMESPACE, stack=stack).base
    if not settings.gke.project:
        return _only(Finding(subject="project", sentence=NO_PROJECT, is_problem=True), *local)
    try:
        google = Google(settings.gke.project)
    except ProviderError as error:
        return _only(Finding(subject="credentials", sentence=str(error), is_problem=True), *local)
    zone = settings.capacity.zone
    with ThreadPoolExecutor(5) as pool:
        findings = pool.submit(check_account, google)
        quotas = pool.submit(_or_none, lambda: read_quotas(google, region_of(zone)))
        offered = pool.submit(_or_none, lambda: frozenset(machine_types_of(google, zone)))
        missing_zone = pool.submit(lambda: check_zone(google, zone) if is_zone(zone) else None)
        running = pool.submit(_or_none, lambda: _running(google, cluster_name))
    pools = running.result() or ()
    return GoogleAccount(
        findings=(*findings.result(), *filter(None, [missing_zone.result()]), *local),
        quotas=planned_quotas(quotas.result(), settings.gke.project),
        offered=offered.result(),
        running=tuple(one for one in pools if one.key != TEMPORARY_POOL),
        temporary=tuple(one for one in pools if one.key == TEMPORARY_POOL),
    )


def plan_for(settings: Settings, stack: str, account: GoogleAccount) -> Plan | Refusal:
    """What is planned in this account, or why nothing is.

    Args:
        settings: The stack's settings.
        stack: Name of the stack.
        account: What was found out about its project.
    """
    request = plan_request(settings, stack, offered=account.offered, running=account.running)
    quotas = account.quotas
    for pool in account.temporary:
        quotas = quotas.without(pool_use(request, pool, quotas))
    return decide(request, quotas)


NO_PROJECT = "project is not set, and the `gke` target needs one. Run `pulumi config set project <id>`."


def cluster_exists(settings: Settings, stack: str) -> bool:
    """Whether the stack's cluster is there, in whatever zone, by Google's own word.

    Raises:
        ProviderError: Google cannot be asked.
    """
    name = Names(project=NAMESPACE, stack=stack).base
    return bool(find_clusters(Google(settings.gke.project), name))


def setting_findings(settings: Settings) -> Iterator[Finding]:
    """What is set and has no effect."""
    for sentence in useless_settings(settings):
        yield Finding(subject="settings", sentence=sentence, is_problem=True)


def image_findings(settings: Settings) -> Iterator[Finding]:
    """Whether images can be built, or are there, as the settings want."""
    if settings.gke.image_builder == "docker":
        problem = docker_problem(os.environ)
        sentence = problem or "a Docker daemon answers"
        yield Finding(subject="image builder", sentence=sentence, is_problem=problem is not None)
    if settings.gke.image_builder == "prebuilt":
        images = {
            "serverImage": settings.kubernetes.server_image,
            "interfaceImage": settings.kubernetes.interface_image,
        }
        for setting, image in images.items():
            problem = image_problem(setting, image)
            sentence = problem or f"{setting} is named by digest"
            yield Finding(subject="images", sentence=sentence, is_problem=problem is not None)


def planned_quotas(live: Mapping[str, LiveQuota] | None, project: str) -> Quotas:
    """The quotas in the plan's words; without live ones the free trial's, which the plan warns of."""
    if not live:
        return TRIAL
    return Quotas(
        {metric: Quota(limit=int(found.limit), in_use=int(found.usage)) for metric, found in live.items()},
        source=f"read from project {project}",
        is_live=True,
    )


def planned_pool(pool: NodePool, node_count: int) -> Pool:
    """An existing pool in the plan's words."""
    return Pool(
        key=pool.name.removesuffix(f"-{pool.machine_type}"),
        machine_type=pool.machine_type,
        node_count=node_count,
        roles=tuple(role for role, label in NODE_LABELS.items() if label in pool.labels),
        is_spot=pool.is_spot,
        is_tainted=pool.is_tainted,
        disk=Disk(type=pool.disk_type, size_gb=pool.disk_gb),
    )


def _running(google: Google, cluster_name: str) -> tuple[Pool, ...]:
    # in any zone: when the setting changes, the cluster in the old zone makes way for the one in the new
    pools = [pool for cluster in find_clusters(google, cluster_name) for pool in cluster.node_pools]
    return tuple(
        planned_pool(pool, count_nodes(google, pool).wanted)
        for pool in pools
        if pool.machine_type in MACHINE_TYPES  # others count as somebody else's use
    )


def _only(*findings: Finding) -> GoogleAccount:
    return GoogleAccount(findings=findings, quotas=TRIAL, offered=None, running=())


def _or_none(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except GoogleError:
        return None
