"""Which resources this provider has.

Modules are imported when the first resource of a kind is used, so that a `local` stack never waits for the
client libraries of Kubernetes or Google.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from provider.errors import ProviderError
from provider.resource import Resource

PACKAGE = "tfcluster"

RESOURCES: Mapping[str, str] = {
    "tfcluster:index:ClusterGuard": "provider.gcp.cluster_guard:ClusterGuard",
    "tfcluster:index:ClusterIdentity": "provider.kubernetes.cluster_identity:ClusterIdentity",
    "tfcluster:index:ClusterReady": "provider.gcp.cluster_ready:ClusterReady",
    "tfcluster:index:CostMeter": "provider.gcp.cost_meter:CostMeter",
    "tfcluster:index:Deadline": "provider.gcp.deadline:Deadline",
    "tfcluster:index:ImageBuild": "provider.gcp.image_build:ImageBuild",
    "tfcluster:index:Inventory": "provider.gcp.inventory:Inventory",
    "tfcluster:index:KubernetesRun": "provider.kubernetes.kubernetes_run:KubernetesRun",
    "tfcluster:index:LocalRun": "provider.local.local_run:LocalRun",
    "tfcluster:index:NamespaceCleanup": "provider.kubernetes.namespace_cleanup:NamespaceCleanup",
    "tfcluster:index:PoolsReady": "provider.gcp.pools_ready:PoolsReady",
    "tfcluster:index:RandomToken": "provider.random_token:RandomToken",
    "tfcluster:index:ServerProcesses": "provider.local.server_processes:ServerProcesses",
    "tfcluster:index:WorkloadsReady": "provider.kubernetes.workloads_ready:WorkloadsReady",
}
"""Type token in the engine: ``module:class`` that implements it. The components rely on the tokens."""


def make_resource(token: str, resources: Mapping[str, str] = RESOURCES) -> Resource[Any, Any]:
    """Import and make the class behind a type token.

    Raises:
        ProviderError: No resource has this token.
    """
    if token not in resources:
        known = ", ".join(sorted(resources))
        raise ProviderError(f"{token} is no resource of the {PACKAGE} provider: it has {known}")
    module_name, class_name = resources[token].split(":")
    return getattr(importlib.import_module(module_name), class_name)()
