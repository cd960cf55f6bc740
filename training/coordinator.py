"""One run, from the settings to the result record.

Owns the order of things: settings, data, servers, comparison with one worker, training, score of the reloaded
checkpoint, record; and that every end is told in one line. A run succeeds when its record is complete, and in
no other case.
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from training.arrangement import Work
from training.checkpoints import CheckpointStore
from training.errors import RunError
from training.members import member_source
from training.membership import Membership
from training.processes import open_log
from training.progress import Progress
from training.result import RESULT_FILE, Result
from training.run_log import RunLog
from training.scaling import Scale
from training.session import score
from training.session_process import SessionProcess
from training.settings import RunSettings, SettingsError
from training.speedup import measured_alone, speedup
from training.state import TrainingState
from training.supervisor import Supervisor
from training.tasks import DataRequest, Dataset, Task, load_task
from training.watch import DeadlinePassed, Stopped, Watch

SETTINGS_FILE, TENSORFLOW_LOG = "settings.json", "tensorflow.log"


def run_coordinator(
    run_dir: Path,
    *,
    stops_with_parent: bool = False,
    settings_file: Path | None = None,
    record: Path | None = None,
) -> int:
    """Do one run and return the process's exit code: 0 with a complete record, else 1, 130 or 143 without.

    Args:
        run_dir: The run's folder; everything about it is kept there.
        stops_with_parent: Whether the end of standard input stops the run.
        settings_file: Where the settings are, if not in the run's folder; they are copied there.
        record: A further file that gets the record, plainly written, when the run has succeeded.
    """
    try:
        settings = _prepared(run_dir, settings_file)
        log = RunLog(run_dir)
    except (SettingsError, OSError) as error:
        print(f"error: {_one_line(str(error))}", flush=True)
        return 1
    watch = Watch(log, settings.train_timeout_s, stops_with_parent)
    code = 1
    try:
        watch.start()
        _Run(run_dir, settings, log).do()
        watch.stop()
        if record:
            shutil.copyfile(run_dir / RESULT_FILE, record)
        code = 0
    except Stopped as stop:
        watch.stop()
        log.say(f"stopped while {log.doing}: {stop}. The servers stay")
        code = stop.exit_code
    except DeadlinePassed:
        watch.stop()
        log.say(
            f"error: the run did not end within train_timeout_s={settings.train_timeout_s:g}: "
            f"it was {log.doing}. Raise it, or lower steps"
        )
    except (RunError, SettingsError, ValueError, OSError) as error:
        watch.stop()
        log.say(f"error: {_one_line(str(error))}")
    log.close()
    return code


class _Run:
    """One run's phases, in their order."""

    def __init__(self, run_dir: Path, settings: RunSettings, log: RunLog) -> None:
        self._run_dir, self._settings, self._log = run_dir, settings, log
        self._started = _now()
        self._store = CheckpointStore(run_dir / "checkpoints", settings.checkpoints_kept)
        self._tensorflow_log = open_log(run_dir / TENSORFLOW_LOG)

    def do(self) -> None:
        """Go through all phases."""
        settings, log = self._settings, self._log
        task = load_task(settings.task)
        log.phase("data", f"loading the data of {settings.task}")
        dataset = task.load_data(DataRequest(settings.data_file, settings.data_dir, settings.data_mirror))
        state = self._first_state(task)
        log.say(
            f"{len(dataset.train)} training examples from {dataset.source}; seed {settings.seed}, "
            f"batch {settings.batch_size}, learning rate {settings.learning_rate:g}"
        )
        membership = Membership(member_source(settings.members), settings, log)
        work = Work(
            task=task,
            train=dataset.train,
            batch_size=settings.batch_size,
            learning_rate=settings.learning_rate,
            seed=settings.seed,
            sync_period=settings.sync_period,
        )
        scale = _scale(settings)
        supervisor = Supervisor(settings, work, membership, self._store, scale, log, self._tensorflow_log)
        everybody = membership.wait_for_everybody()
        alone_s = None
        if settings.measure_speedup and len(everybody.workers) > 1 and state.step < settings.steps:
            alone_s = measured_alone(
                lambda team: supervisor.open_session(team, state),
                everybody,
                settings.batch_size,
                settings.peer_timeout_s,
                log,
            )
        if scale:
            membership.most_workers = scale.count
            if alone_s:
                scale.rates[1] = settings.batch_size / alone_s
        state, progress = supervisor.train(state)
        membership.close()
        if scale:
            reason = scale.reason or "there were too few steps to try another number"
            log.say(f"workers auto: keep {scale.count}; {reason}")
        accuracy = self._scored(task, dataset, state.step)
        self._record(dataset, progress, accuracy, alone_s, scale)

    def _first_state(self, task: Task) -> TrainingState:
        steps = self._store.steps()
        if not self._settings.resume or not steps:
            if self._store.clear():
                left = f"the checkpoint of step {steps[-1]}, which an earlier run left here, is removed"
                self._log.say(f"starting anew: {left}")
            return TrainingState(0, task.initial_parameters(self._settings.seed))
        state = self._store.load(steps[-1])
        self._log.say(f"resuming from the checkpoint of step {state.step}")
        return state

    def _scored(self, task: Task, dataset: Dataset, step: int) -> float:
        self._log.phase(
            "score", f"scoring the reloaded checkpoint of step {step} on {len(dataset.test)} test examples"
        )
        state = self._store.load(step)
        session = SessionProcess(
            functools.partial(score, task=task, examples=dataset.test, state=state),
            "tfcluster scoring",
            self._tensorflow_log,
        )
        try:
            answer = session.receive(self._settings.train_timeout_s)
            if not isinstance(answer, float):
                raise RunError(
                    f"the checkpoint of step {step} could not be scored: {answer}. See {TENSORFLOW_LOG}"
                )
            session.leave()
        finally:
            session.kill()
        return answer

    def _record(
        self,
        dataset: Dataset,
        progress: Progress,
        accuracy: float,
        alone_s: float | None,
        scale: Scale | None,
    ) -> None:
        settings, workers = self._settings, len(progress.team.workers)
        sec_per_step = progress.sec_per_step or progress.first_sec_per_step
        compared = speedup(alone_s, progress, [server.address for server in progress.team.workers])
        result = Result(
            test_accuracy=accuracy,
            final_loss=progress.loss,
            steps=settings.steps,
            sec_per_step=sec_per_step,
            examples_per_sec=settings.batch_size / sec_per_step,
            workers=workers,
            recommended_workers=scale.count if scale else workers,
            speedup=compared.times,
            efficiency=compared.efficiency,
            bound=compared.bound,
            seed=settings.seed,
            data_source=dataset.source,
            versions={
                "python": platform.python_version(),
                "tensorflow": _tensorflow_version(),
            },
            started=self._started,
            ended=_now(),
            run_dir=str(self._run_dir),
        )
        if compared.times is not None and workers > 1:
            self._log.say(
                f"speed-up: {workers} workers are {compared.times:.2f} times as fast as one "
                f"(efficiency {compared.efficiency:.0%}); {compared.bound}"
            )
        self._log.say(f"test accuracy {accuracy:.4f} on {len(dataset.test)} examples")
        self._log.record(
            "result", test_accuracy=accuracy, final_loss=progress.loss, sec_per_step=sec_per_step
        )
        result.write(self._run_dir)


def _scale(settings: RunSettings) -> Scale | None:
    if not settings.is_worker_count_automatic:
        return None
    return Scale(settings.workers_min, settings.workers_max, settings.worker_gain_min)


def _prepared(run_dir: Path, settings_file: Path | None) -> RunSettings:
    """Make the run's folder ready and read the settings; a record of an earlier try is taken away."""
    run_dir.mkdir(parents=True, exist_ok=True)
    own = run_dir / SETTINGS_FILE
    if settings_file and settings_file.resolve() != own.resolve():
        shutil.copyfile(settings_file, own)
    settings = RunSettings.read(own)
    with suppress(FileNotFoundError):
        (run_dir / RESULT_FILE).unlink()
    return settings


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _tensorflow_version() -> str:
    """Return the version of whichever TensorFlow is installed; the images have the one for CPUs alone."""
    installed = importlib.metadata.packages_distributions()["tensorflow"]
    return importlib.metadata.version(installed[0])
