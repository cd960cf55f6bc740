"""The resource ``tfcluster:index:LocalRun``: one training run on this machine's servers.

Owns when a run is started, joined, left alone or started again, so that there is never a second beside one
that still goes on. The coordinator is a process of its own; following it is ``following.py``, what it
computes ``training``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from provider.local.following import failure_of, finished_result, follow, stop_coordinator
from provider.local.fork_server import ForkServer, shared_fork_server
from provider.local.identity import ProcessIdentity, identify
from provider.local.run_history import (
    ELASTIC_SETTINGS,
    SETTINGS_FILE,
    RunHistory,
    RunRecord,
    load,
    save,
    trained,
)
from provider.local.run_properties import (
    RUNNING,
    SUCCEEDED,
    Inputs,
    Outputs,
    run_settings,
    running,
    succeeded,
)
from provider.operation import Operation
from provider.resource import Created, Diff, Problem, Resource, State, changed_names
from training.files import write_atomically
from training.settings import SettingsError

RunState = State[Inputs, Outputs]


class LocalRun(Resource[Inputs, Outputs]):
    """One training run.

    Args:
        fork_server: What starts the coordinator; by default the one of this provider process.
    """

    inputs_type = Inputs
    outputs_type = Outputs

    def __init__(self, fork_server: ForkServer | None = None) -> None:
        self._fork_server = fork_server or shared_fork_server()

    def check(self, inputs: Inputs) -> list[Problem]:
        """Refuse settings that the training program would refuse, and folders that are not absolute."""
        problems = [
            Problem(name, "it is no absolute path: write it in full")
            for name, path in (("runsDir", inputs.runs_dir), ("stateDir", inputs.state_dir))
            if not Path(path).is_absolute()
        ]
        try:
            run_settings(inputs)
        except SettingsError as error:
            problems.append(Problem("", str(error)))
        return problems

    def diff(self, state: RunState, inputs: Inputs) -> Diff:
        """Compare with what was trained, and look at a run that was going on when it was last seen."""
        changed = changed_names(state.inputs, inputs) & {"settings", "codeHash", "runId"}
        if trained(state.inputs.settings) == trained(inputs.settings) and (
            state.outputs.status == RUNNING or _elastic(state.inputs) == _elastic(inputs)
        ):
            changed -= {"settings"}
        if state.outputs.status == SUCCEEDED:
            return Diff(changed)
        if finished_result(Path(state.outputs.run_dir)):
            return Diff(changed | {"status"}, reason=f"the run in {state.outputs.run_dir} has succeeded")
        record = load(Path(state.outputs.run_dir))
        if record is None or record.coordinator is None:
            return Diff(changed | {"status"}, reason=f"the run in {state.outputs.run_dir} has failed")
        return Diff(changed | ({"wait"} if inputs.wait else frozenset()))

    def create(self, operation: Operation, inputs: Inputs) -> Created[Outputs]:
        """Train, or join the run that an interrupted ``pulumi up`` left going on."""
        return Created(f"{operation.stack}-run", self._run(operation, inputs))

    def read(self, operation: Operation, state: RunState) -> RunState | None:
        """Take in the results of a run that has ended meanwhile; a failed one is no more."""
        if state.outputs.status == SUCCEEDED:
            return state
        result = finished_result(Path(state.outputs.run_dir))
        if result is not None:
            return State(state.id, state.inputs, succeeded(result, state.outputs.run_dir))
        record = load(Path(state.outputs.run_dir))
        if record is not None and record.coordinator is not None:
            return state
        reason = failure_of(record) if record else f"{state.outputs.run_dir} has no result"
        operation.progress.warn(f"{reason}. `pulumi up` trains again")
        return None

    def update(self, operation: Operation, state: RunState, inputs: Inputs) -> Outputs:
        """Take in or go on with the run there is, if it does what is asked for; else train anew."""
        is_same = not changed_names(state.inputs, inputs) & {"codeHash", "runId"} and (
            trained(state.inputs.settings) == trained(inputs.settings)
        )
        if state.outputs.status == RUNNING and is_same:
            result = finished_result(Path(state.outputs.run_dir))
            if result is not None:
                return succeeded(result, state.outputs.run_dir)
        return self._run(operation, inputs)

    def delete(self, operation: Operation, state: RunState) -> None:
        """Stop a run in progress; the run history stays."""
        record = _history(operation, state.inputs).last()
        coordinator = record.coordinator if record else None
        if record is not None and coordinator is not None:
            stop_coordinator(coordinator)
            operation.progress.say(f"stopped the run in {record.run_dir}")
        operation.progress.say(f"kept the run history in {state.inputs.runs_dir}")

    def _run(self, operation: Operation, inputs: Inputs) -> Outputs:
        history = _history(operation, inputs)
        last = history.last()
        coordinator = last.coordinator if last else None
        if last is not None and coordinator is not None:
            is_wanted = last.is_for(inputs.settings, inputs.code_hash, inputs.run_id)
            if is_wanted and not last.stops_with_provider:
                operation.progress.say(f"the run in {last.run_dir} is still going on")
                return self._outcome(operation, inputs, last, coordinator, _size(last.log))
            operation.progress.say(f"stopping the run in {last.run_dir}, which is not the one asked for now")
            stop_coordinator(coordinator)
        elif last is not None and finished_result(last.folder) is None:
            operation.progress.say(f"the last run has no result: {failure_of(last)}")
        return self._start(operation, inputs, history, last)

    def _start(
        self, operation: Operation, inputs: Inputs, history: RunHistory, last: RunRecord | None
    ) -> Outputs:
        folder = _resumable(inputs, last) or history.new_folder(datetime.now(UTC))
        write_atomically(folder / SETTINGS_FILE, run_settings(inputs).to_json().encode())
        record = save(
            RunRecord(
                run_dir=str(folder),
                state_dir=inputs.state_dir,
                settings=inputs.settings,
                code_hash=inputs.code_hash,
                run_id=inputs.run_id,
                stops_with_provider=inputs.wait,
            )
        )
        log_offset = _size(record.log)
        pid = self._fork_server.start_coordinator(
            operation, folder, record.log, stops_with_provider=record.stops_with_provider
        )
        # one that has ended already is followed all the same: its log and exit code say why
        coordinator = identify(pid) or ProcessIdentity(pid, "")
        record = save(msgspec.structs.replace(record, process=coordinator))
        return self._outcome(operation, inputs, record, coordinator, log_offset)

    def _outcome(
        self,
        operation: Operation,
        inputs: Inputs,
        record: RunRecord,
        coordinator: ProcessIdentity,
        log_offset: int,
    ) -> Outputs:
        if not inputs.wait:
            going_on = running(record.run_dir)
            operation.progress.say(
                f"training goes on in {record.run_dir}; follow it with `{going_on.follow}`"
            )
            return going_on
        settings = run_settings(inputs)
        result = follow(operation, record, coordinator, settings, self._fork_server, log_offset)
        return succeeded(result, record.run_dir)


def _history(operation: Operation, inputs: Inputs) -> RunHistory:
    return RunHistory(Path(inputs.runs_dir), operation.stack, Path(inputs.state_dir))


def _elastic(inputs: Inputs) -> dict[str, Any]:
    return {name: inputs.settings.get(name) for name in ELASTIC_SETTINGS}


def _resumable(inputs: Inputs, last: RunRecord | None) -> Path | None:
    """Return the folder of the last run, if it has no result, does the same work, and is to be resumed."""
    if last is None or not inputs.settings.get("resume") or finished_result(last.folder):
        return None
    return last.folder if trained(last.settings) == trained(inputs.settings) else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
