"""The user's word that a cluster is gone for good, so that its objects may leave the state unasked."""

import os

DELETE_UNREACHABLE = "PULUMI_K8S_DELETE_UNREACHABLE"
"""Environment variable of the Kubernetes provider, obeyed by our own resources too."""


def is_unreachable_dropped() -> bool:
    """Whether the user said so."""
    return os.environ.get(DELETE_UNREACHABLE, "").lower() in ("1", "true")
