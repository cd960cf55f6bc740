"""Who is who in the cluster: roles, server names and ports, the same words on every target.

Pure; it neither reads settings nor creates anything.
"""

from enum import StrEnum

GRPC_PORT = 2222
"""Port of every TensorFlow server in a pod; on the `local` target ports are chosen free instead."""

NOTEBOOK_PORT = 8888
"""Port of JupyterLab in the interface pod."""

TENSORBOARD_PORT = 6006
"""Port of TensorBoard in the interface pod."""


class Role(StrEnum):
    """What a machine of the cluster is for; the value is the word used in names and labels."""

    INTERFACE = "if"
    """Notebook, TensorBoard and the coordinator, which runs the training program."""

    MASTER = "master"
    """Holds the model between synchronisations."""

    WORKER = "worker"
    """Computes gradients on its share of each batch."""


SERVER_ROLES = (Role.MASTER, Role.WORKER)
"""Roles that have TensorFlow servers, in the order in which they are declared."""


def server_count(role: Role, workers: int) -> int:
    """Number of TensorFlow servers of a role in a cluster with `workers` workers."""
    match role:
        case Role.MASTER:
            return 1
        case Role.WORKER:
            return workers
        case Role.INTERFACE:
            return 0
