"""The `local` target: a TensorFlow cluster of processes on this machine, and one training run on it."""

from pathlib import Path
from typing import Any

import pulumi

from components.local.servers import Servers, ServersArgs
from components.local.training_run import TrainingRun, TrainingRunArgs
from stacks.code_hash import task_file, training_code_hash
from stacks.run import run_outputs, run_settings
from stacks.settings import Settings, SettingsError, TrainingSettings
from stacks.topology import SERVER_ROLES, Role, server_count

PROJECT = Path(__file__).resolve().parent.parent
"""The project's folder, which holds the state folder and, by default, the run history."""


def declare(settings: Settings) -> dict[str, pulumi.Input[Any]]:
    """Declare servers and run; return the stack's outputs by name.

    Raises:
        SettingsError: The task's module or the data file does not exist.
    """
    data_file = _checked_data_file(settings.training)
    state_dir = str(PROJECT / ".state" / "stacks" / pulumi.get_stack())
    servers = {
        role: Servers(
            role.value,
            ServersArgs(
                role=role.value, count=server_count(role, settings.servers_offered), state_dir=state_dir
            ),
        )
        for role in SERVER_ROLES
    }
    run = TrainingRun(
        "training",
        TrainingRunArgs(
            settings=run_settings(settings, data_file),
            code_hash=training_code_hash(PROJECT, settings.training.task),
            run_id=settings.run_id,
            runs_dir=str(PROJECT / settings.runs_dir),
            state_dir=state_dir,
            wait=settings.wait_for_training,
        ),
        pulumi.ResourceOptions(depends_on=list(servers.values())),
    )
    return run_outputs(run.results) | {"members_file": servers[Role.MASTER].members_file}


def _checked_data_file(training: TrainingSettings) -> str:
    """Absolute path of the data file, or the empty text; both it and the task's module are checked."""
    problems: list[str] = []
    try:
        task_file(training.task)
    except ModuleNotFoundError as error:
        problems.append(f"task={training.task} cannot be used: {error.msg}. Name a module below {PROJECT}.")
    if training.data_file and not (PROJECT / training.data_file).is_file():
        problems.append(
            f"dataFile={training.data_file} is not a file. Run `pulumi config rm dataFile` to use the cache"
            " or a download."
        )
    if problems:
        raise SettingsError.listing("this stack", problems)
    return str(PROJECT / training.data_file) if training.data_file else ""
