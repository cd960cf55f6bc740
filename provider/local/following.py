"""Following a coordinator until it ends, is interrupted, or has had its time.

Owns the sentence each of these ends in. Only a complete result record is success: not an exit code, not the
end of the log.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

from provider.errors import InterruptedByUser, ProviderError
from provider.local.fork_server import ForkServer
from provider.local.identity import ProcessIdentity, stop
from provider.local.run_history import RunRecord
from provider.local.run_log import RunLog
from provider.operation import Operation
from provider.progress import Progress
from training.result import Result, ResultError
from training.settings import RunSettings

STOP_GRACE_S = 10.0
"""How long a coordinator may take to stop by itself."""

DEADLINE_GRACE_S = 15.0
"""How much later than the coordinator's own deadline it is stopped from here."""

POLL_S = 0.2


def follow(
    operation: Operation,
    record: RunRecord,
    coordinator: ProcessIdentity,
    settings: RunSettings,
    fork_server: ForkServer,
    log_offset: int = 0,
) -> Result:
    """Show a run's progress until the coordinator has ended; return the result record.

    Raises:
        ProviderError: The run failed, or had its time.
        InterruptedByUser: The user interrupted; the coordinator was stopped.
    """
    log = RunLog(record.log, settings.steps, log_offset)
    started = time.monotonic()
    finished_for_s = 0.0
    while coordinator.is_alive and finished_for_s < STOP_GRACE_S:
        log.relay(operation.progress)
        waited_s = time.monotonic() - started
        if waited_s > settings.train_timeout_s + DEADLINE_GRACE_S:
            stop_coordinator(coordinator)
            raise ProviderError(_out_of_time(operation, record, settings, log))
        operation.heartbeat(f"{log.last_progress or log.last_line or 'starting'} ({waited_s:.0f} s)")
        if operation.cancelled.wait(POLL_S):
            stop_coordinator(coordinator)
            log.relay_rest(operation.progress)
            raise InterruptedByUser(_interrupted(operation, record, log))
        finished_for_s += POLL_S if finished_result(record.folder) else 0
    # with its record complete nothing is lost if it hangs on its way out
    stop_coordinator(coordinator)
    log.relay_rest(operation.progress)
    result = finished_result(record.folder)
    if result is None:
        code = _exit_code(fork_server, coordinator)
        raise ProviderError(f"{operation.name}: {_cause(log, code)}. The log is {record.log}")
    return result


def finished_result(run_dir: Path) -> Result | None:
    """Return the complete result record of a run, or None when there is none."""
    try:
        return Result.read(run_dir)
    except ResultError:
        return None


def failure_of(record: RunRecord) -> str:
    """Say why a run that nobody followed to its end has no result."""
    log = RunLog(record.log, steps=0)
    log.relay_rest(Progress(_nowhere, ""))
    return f"{_cause(log, None)}. The log is {record.log}"


def stop_coordinator(coordinator: ProcessIdentity) -> None:
    """End a coordinator; one that has ended is no error.

    Raises:
        ProviderError: It can't be ended.
    """
    if stop([coordinator], STOP_GRACE_S):
        raise ProviderError(f"can't stop the coordinator, process {coordinator.pid}: end it with `kill -9`")


def _exit_code(fork_server: ForkServer, coordinator: ProcessIdentity) -> int | None:
    for _ in range(10):
        code = fork_server.exit_code(coordinator.pid)
        if code is not None:
            return code
        time.sleep(0.1)
    return None


def _cause(log: RunLog, code: int | None) -> str:
    if log.last_error:
        return f"the run failed: {log.last_error.rstrip('.')}"
    after = f" after {log.last_line!r}" if log.last_line else ", and printed nothing"
    if code == -signal.SIGKILL:
        return f"the coordinator was killed{after}; the kernel does that when the memory is used up"
    if code is not None and code < 0:
        return f"the coordinator was ended by {signal.Signals(-code).name}{after}"
    ended = "ended" if code is None else f"ended with exit code {code}"
    return f"the coordinator {ended} without a complete result record{after}"


def _interrupted(operation: Operation, record: RunRecord, log: RunLog) -> str:
    reached = f" after {log.last_progress}" if log.last_progress else ""
    return (
        f"{operation.name}: interrupted, the run was stopped{reached}. The servers stay; `pulumi up` trains "
        f"again. The log is {record.log}"
    )


def _out_of_time(operation: Operation, record: RunRecord, settings: RunSettings, log: RunLog) -> str:
    reached = log.last_progress or log.last_line or "nothing"
    return (
        f"{operation.name}: the run was stopped because trainTimeoutSeconds={settings.train_timeout_s:g} "
        f"have passed. It had reached {reached!r}. Raise trainTimeoutSeconds or lower steps. The log is "
        f"{record.log}"
    )


def _nowhere(urn: str, line: str, *, is_warning: bool, is_ephemeral: bool) -> None:
    del urn, line, is_warning, is_ephemeral
