"""What providers would add to the declared resources of a GKE stack, for the fake engine."""

import warnings
from typing import Any

import pulumi_gcp as gcp

from tests.components.mocks import Recorder

with warnings.catch_warnings():
    # the package is loaded piece by piece on first use, and warns of names of its own that it has given up
    warnings.simplefilter("ignore", DeprecationWarning)
    LOADED = (
        gcp.artifactregistry.Repository,
        gcp.cloudscheduler.Job,
        gcp.compute.Network,
        gcp.container.Cluster,
        gcp.organizations.get_client_config,
        gcp.projects.Service,
        gcp.serviceaccount.Account,
        gcp.storage.Bucket,
    )

OWNER = "0123abcd"
_ACCOUNT = {"email": "somebody@demo-project.iam.gserviceaccount.com", "member": "serviceAccount:somebody"}
_ENDPOINTS = {"controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": "gke-1.gke.goog"}}}

COMPUTED: dict[str, dict[str, Any]] = {
    "tfcluster:index:Inventory": {"owner": OWNER},
    "tfcluster:index:Deadline": {"schedule": "5 6 1 12 *", "deleteAt": "2026-12-01T06:05Z"},
    "tfcluster:index:CostMeter": {"startedAt": "2026-11-30T18:05:00+00:00"},
    "tfcluster:index:ClusterReady": {"readyCluster": "projects/p/locations/us-central1-a/clusters/tf"},
    "tfcluster:index:PoolsReady": {"nodes": {}},
    "tfcluster:index:ImageBuild": {
        "references": {"server": "r/server@sha256:1", "interface": "r/interface@sha256:2"}
    },
    "gcp:serviceaccount/account:Account": _ACCOUNT,
    "gcp:artifactregistry/repository:Repository": {
        "registryUri": "us-central1-docker.pkg.dev/p/r",
        "name": "r",
    },
    "gcp:projects/iAMCustomRole:IAMCustomRole": {"name": "projects/p/roles/r"},
    "gcp:container/cluster:Cluster": _ENDPOINTS,
    "docker-build:index:Image": {"digest": "sha256:3"},
}

LOOKUPS: dict[str, dict[str, Any]] = {
    "gcp:organizations/getClientConfig:getClientConfig": {"accessToken": "token", "project": "p"}
}


def google_recorder() -> Recorder:
    """A recorder that knows what Google's and the project's own provider add."""
    return Recorder(lookups=LOOKUPS, computed=COMPUTED)
