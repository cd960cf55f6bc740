"""One training run on this machine: the coordinator as a process of its own.

The run is started, followed and stopped by the project's own provider (`provider.local`); what it computes
is the business of the training program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from components.run_outputs import RUN_OUTPUTS


@dataclass(frozen=True, kw_only=True)
class TrainingRunArgs:
    """What one run needs.

    Attributes:
        settings: Settings of the training program by their names there; a change is a new run.
        code_hash: Hash of the training code; a change is a new run.
        run_id: Any word; a change is a new run.
        runs_dir: Absolute folder of the run history.
        state_dir: Absolute folder in which this stack keeps its processes' records.
        wait: Whether `pulumi up` waits for the result.
    """

    settings: Mapping[str, Any]
    code_hash: str
    run_id: str
    runs_dir: str
    state_dir: str
    wait: bool


class TrainingRun(pulumi.ComponentResource):
    """One training from start to result record; what succeeded is not repeated while nothing changes."""

    results: dict[str, pulumi.Output[Any]]
    """What the run returned, by output name; None while the run is still going on."""

    def __init__(self, name: str, args: TrainingRunArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tfcluster:index:TrainingRun", name, {}, opts)
        run = _LocalRun(
            f"{name}-run",
            {
                "settings": dict(args.settings),
                "codeHash": args.code_hash,
                "runId": args.run_id,
                "runsDir": args.runs_dir,
                "stateDir": args.state_dir,
                "wait": args.wait,
            },
            pulumi.ResourceOptions(parent=self),
        )
        self.results = {output: getattr(run, output) for output in RUN_OUTPUTS}
        self.register_outputs(self.results)


class _LocalRun(pulumi.CustomResource):
    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("tfcluster:index:LocalRun", name, {**inputs, **dict.fromkeys(RUN_OUTPUTS)}, opts)
