"""TensorFlow servers of one role as processes on this machine.

The processes themselves are started, found again and stopped by the project's own provider
(`provider.local`); this component only declares how many there are.
"""

from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class ServersArgs:
    """What the servers of one role need.

    Attributes:
        role: Cluster role, `master` or `worker`.
        count: Number of servers; a change starts or stops only the difference.
        state_dir: Absolute folder in which this stack keeps ports, process records and server logs.
    """

    role: str
    count: int
    state_dir: str


class Servers(pulumi.ComponentResource):
    """The TensorFlow servers of one role, listening on the loopback address alone.

    Creates one resource whatever the number of servers. It does not join them into a cluster: each server
    knows only its own address, and the coordinator of a run joins any set of them.
    """

    servers: pulumi.Output[list[dict[str, Any]]]
    """Name, address, pid, start time and log file of each server."""

    members_file: pulumi.Output[str]
    """File that lists the addresses of all roles' servers, for the coordinator."""

    def __init__(self, name: str, args: ServersArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:Servers", name, {}, opts)
        processes = _ServerProcesses(
            f"{name}-processes",
            {"role": args.role, "count": args.count, "stateDir": args.state_dir},
            pulumi.ResourceOptions(parent=self),
        )
        self.servers = processes.servers
        self.members_file = processes.membersFile
        self.register_outputs({"servers": self.servers, "membersFile": self.members_file})


class _ServerProcesses(pulumi.CustomResource):
    servers: pulumi.Output[list[dict[str, Any]]]
    membersFile: pulumi.Output[str]  # noqa: N815 -- the engine's name of the output

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        outputs = {"servers": None, "membersFile": None}
        super().__init__("tfcluster:index:ServerProcesses", name, {**inputs, **outputs}, opts)
