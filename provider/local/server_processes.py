"""The resource ``tfcluster:index:ServerProcesses``: the TensorFlow servers of one role on this machine.

Owns what a stack's servers are over time: how many run, on which ports, under which pids. They listen on the
loopback address alone, outlive ``pulumi up``, and are stopped by a smaller count or by ``pulumi destroy``.
How one is started is ``server_start.py``; what is remembered of them is ``records.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from provider.errors import ProviderError
from provider.local.fork_server import ForkServer, shared_fork_server
from provider.local.identity import ProcessIdentity, stop, with_standard_output
from provider.local.ports import PortRegistry, machine_registry
from provider.local.records import ROLES, ServerRecord, StackRecords, server_name
from provider.local.server_start import ServerStarter
from provider.operation import Operation
from provider.properties import Properties
from provider.resource import Created, Diff, Problem, Resource, State


class Inputs(Properties, frozen=True, kw_only=True):
    """What is wanted.

    Attributes:
        role: ``master`` or ``worker``.
        count: How many servers run.
        state_dir: Absolute folder of this stack's records, logs and member list.
    """

    role: str
    count: int
    state_dir: str


class Server(Properties, frozen=True, kw_only=True):
    """One running server; pid and start time together identify its process."""

    name: str
    address: str
    pid: int
    start_time: str
    log: str

    @property
    def process(self) -> ProcessIdentity:
        """Its process."""
        return ProcessIdentity(self.pid, self.start_time)


class Outputs(Properties, frozen=True, kw_only=True):
    """What runs, in the order of the servers' numbers, and the file that lists all roles' servers."""

    servers: list[Server]
    members_file: str


ServersState = State[Inputs, Outputs]


class ServerProcesses(Resource[Inputs, Outputs]):
    """Servers of one role; one resource, however many they are.

    Args:
        fork_server: What starts the processes; by default the one of this provider process.
        ports: The machine's ports; by default the registry of all this user's stacks.
    """

    inputs_type = Inputs
    outputs_type = Outputs
    replace_on = frozenset({"role", "stateDir"})

    def __init__(self, fork_server: ForkServer | None = None, ports: PortRegistry | None = None) -> None:
        self._fork_server = fork_server or shared_fork_server()
        self._ports = ports or machine_registry()

    def check(self, inputs: Inputs) -> list[Problem]:
        """Refuse what can't be a role's servers."""
        problems: list[Problem] = []
        if inputs.role not in ROLES:
            problems.append(Problem("role", f"it has no servers: use {' or '.join(ROLES)}"))
        if inputs.count < 0:
            problems.append(Problem("count", "it is negative: use 0 or more"))
        if not Path(inputs.state_dir).is_absolute():
            problems.append(Problem("stateDir", "it is no absolute path: write it in full"))
        return problems

    def diff(self, state: ServersState, inputs: Inputs) -> Diff:
        """Compare with the machine as well: a server that died is started again."""
        found = super().diff(state, inputs)
        alive = {server.name for server in state.outputs.servers if server.process.is_alive}
        names = {server_name(state.inputs.role, number) for number in range(state.inputs.count)}
        records = StackRecords(Path(state.inputs.state_dir)).all(state.inputs.role)
        surplus = {record.name for record in records if record.is_wanted} - names
        reasons = [f"{name} is not running any more" for name in sorted(names - alive)]
        reasons += [f"{name} was left by an interrupted `pulumi up`" for name in sorted(surplus)]
        if not Path(state.outputs.members_file).exists():
            reasons.append(f"{state.outputs.members_file} is missing")
        if not reasons:
            return found
        return Diff(found.changed | {"servers"}, found.replaced, reason="; ".join(reasons))

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Start the servers, or take over those that an interrupted ``pulumi up`` left."""
        try:
            return Created(f"{operation.stack}-{inputs.role}", self._arrange(operation, inputs))
        except BaseException:
            # nothing of it gets into the engine's state, so nothing may stay
            self._remove(inputs, [])
            raise

    def read(self, operation: Operation, state: ServersState) -> ServersState | None:
        """Find out which servers still run."""
        records = StackRecords(Path(state.inputs.state_dir))
        found = records.all(state.inputs.role)
        if not found and not any(server.process.is_alive for server in state.outputs.servers):
            return None
        running = [_described(record, records) for record in found if record.is_wanted and record.is_running]
        names = {server.name for server in running}
        for missing in (server.name for server in state.outputs.servers if server.name not in names):
            operation.progress.warn(f"{missing} is not running any more: `pulumi up` starts it again")
        return State(state.id, state.inputs, Outputs(servers=running, members_file=str(records.members_file)))

    def update(self, operation: Operation, state: ServersState, inputs: Inputs) -> Outputs:
        """Start or stop the difference; servers that run and are wanted are left alone."""
        del state
        return self._arrange(operation, inputs)

    def delete(self, operation: Operation, state: ServersState) -> None:
        """Stop exactly the servers of this role, free their ports and remove their files."""
        removed = self._remove(state.inputs, state.outputs.servers)
        if removed:
            operation.progress.say(removed)

    def _arrange(self, operation: Operation, inputs: Inputs) -> Outputs:
        records = StackRecords(Path(inputs.state_dir))
        names = [server_name(inputs.role, number) for number in range(inputs.count)]
        _scale_away(records, [record for record in records.all(inputs.role) if record.name not in names])
        starter = ServerStarter(records, self._ports, self._fork_server)
        running = starter.ensure(operation, inputs.role, names)
        records.write_members()
        servers = [_described(record, records) for record in running]
        return Outputs(servers=servers, members_file=str(records.members_file))

    def _remove(self, inputs: Inputs, remembered: list[Server]) -> str:
        """Take everything of a role away; return what that was, in words, or the empty text."""
        records = StackRecords(Path(inputs.state_dir))
        found = records.all(inputs.role)
        processes = {server.process for server in remembered}
        processes |= {record.process for record in found if record.process}
        for record in found:
            processes |= set(with_standard_output(records.log(record.name)))
        running = [process for process in processes if process.is_alive]
        _stop(running)
        ports = {server.name: int(server.address.rsplit(":", 1)[-1]) for server in remembered}
        ports |= {record.name: record.port for record in found if record.port}
        for name, port in ports.items():
            self._ports.release(records.path(name), port)
        for record in found:
            records.forget(record.name)
        records.write_members()
        if not ports and not running:
            return ""
        return (
            f"stopped {_counted(len(running), f'{inputs.role} server')}, freed "
            f"{_counted(len(ports), 'port')}, removed their logs and records"
        )


def _scale_away(records: StackRecords, surplus: list[ServerRecord]) -> None:
    """Stop servers that are not wanted any more; they keep their ports for the stack's life."""
    leaving = [records.save(msgspec.structs.replace(record, is_wanted=False)) for record in surplus]
    if leaving:
        # a run in progress learns of it before they are gone
        records.write_members()
    _stop(record.process for record in leaving if record.process and record.process.is_alive)
    for record in leaving:
        records.save(msgspec.structs.replace(record, process=None))


def _stop(processes: Iterable[ProcessIdentity]) -> None:
    remaining = stop(processes)
    if remaining:
        pids = ", ".join(str(process.pid) for process in remaining)
        raise ProviderError(f"can't stop processes {pids}: end them with `kill -9` as their owner")


def _described(record: ServerRecord, records: StackRecords) -> Server:
    assert record.process is not None  # noqa: S101 - callers ask for running servers only
    return Server(
        name=record.name,
        address=record.address,
        pid=record.process.pid,
        start_time=record.process.start_time,
        log=str(records.log(record.name)),
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
