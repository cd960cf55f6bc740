"""A GKE cluster that is gone though the stack's state has it: then its objects may leave the state unasked.

Only the cloud can tell "deleted" from "no network"; where it cannot be asked, nothing is assumed.
"""

from bootstrap.environment import PROJECT
from provider.errors import ProviderError
from provider.unreachable import DELETE_UNREACHABLE
from stacks.google_account import cluster_exists
from stacks.settings import SettingsError, parse
from stacks.stack_file import StackFileError, stack_values


def without_its_cluster(stack: str) -> dict[str, str]:
    """Environment for `destroy` and `refresh` of a stack: a switch of the Kubernetes provider, or nothing.

    Says so where the cluster is gone.

    Args:
        stack: Name of a stack.
    """
    try:
        settings = parse(stack_values(PROJECT, stack), stack)
        if settings.target != "gke" or not settings.gke.project or cluster_exists(settings, stack):
            return {}
    except (ProviderError, SettingsError, StackFileError):
        return {}
    print(f"Google has no cluster of stack {stack}: what ran on it leaves the state unasked", flush=True)
    return {DELETE_UNREACHABLE: "true"}
