"""Keeps a training going, whatever happens to the servers.

Holds the last synchronised state, which nothing but the coordinator's own end can take away, and runs one
session after the other from it: a session ends when the team shall change, or when it is lost. It uses no
TensorFlow itself.
"""

from __future__ import annotations

import functools
import statistics
import time

from training import diagnosis
from training.arrangement import STEPS_A_CALL, Work
from training.checkpoints import CheckpointStore
from training.errors import RunError
from training.members import Server
from training.membership import Membership, last_seen
from training.progress import Progress, check_losses, checkpoint_kept, note_last_seen
from training.run_log import RunLog
from training.scaling import Scale
from training.session import Failed, Order, Team, Trained, free_port, train
from training.session_process import SessionProcess
from training.settings import RunSettings
from training.state import TrainingState

_TENDING_PERIOD_S = 0.2
_VAIN_SESSIONS = 3
_FIRST_CALL_PATIENCE = 3
_MEASURED_S = 3.0


class Supervisor:
    """Trains from a state to the last step.

    Args:
        settings: The run's settings.
        work: What is computed, passed on to the sessions.
        membership: Who works.
        store: Where checkpoints go.
        scale: How many workers are used, where the run chooses that itself.
        log: The run's log.
        tensorflow_log: Descriptor for what TensorFlow itself prints.
    """

    def __init__(
        self,
        settings: RunSettings,
        work: Work,
        membership: Membership,
        store: CheckpointStore,
        scale: Scale | None,
        log: RunLog,
        tensorflow_log: int,
    ) -> None:
        self._settings, self._work, self._membership = settings, work, membership
        self._store, self._scale, self._log, self._tensorflow_log = store, scale, log, tensorflow_log
        self._vain_sessions = 0
        self._slow: int | None = None
        self._slow_s = 0.0
        self._state_ordered_at = time.monotonic()

    def train(self, state: TrainingState) -> tuple[TrainingState, Progress]:
        """Train to the last step and return the final state and the speed of the last session.

        Raises:
            RunError: The training can't go on.
        """
        self._state = state
        self._progress = Progress(self._membership.wait_for_team(), self._settings.batch_size)
        while self._state.step < self._settings.steps:
            self._run_session(self._membership.wait_for_team())
        return self._state, self._progress

    def open_session(self, team: Team, state: TrainingState, work: Work | None = None) -> SessionProcess:
        """Fork a session for a team."""
        port = self._settings.coordinator_port or free_port()
        return SessionProcess(
            functools.partial(train, team=team, port=port, work=work or self._work, state=state),
            f"tfcluster session of {_counted(len(team.workers))}",
            self._tensorflow_log,
        )

    def _run_session(self, team: Team) -> None:
        workers = ", ".join(server.name for server in team.workers)
        self._log.phase(
            "train",
            f"training from step {self._state.step} on {_counted(len(team.workers))} ({workers}), "
            f"the model held by {team.holder.name}",
            step=self._state.step,
            workers=[server.name for server in team.workers],
        )
        self._progress = Progress(team, self._settings.batch_size)
        self._slow = None
        self._membership.clear_suspicion()
        session = self.open_session(team, self._state)
        try:
            self._drive(session, team)
        finally:
            session.kill()

    def _drive(self, session: SessionProcess, team: Team) -> None:
        """Give orders until the training is over, the team shall change, or the session is lost."""
        order, ordered_at, step = self._order(session, team, self._state.step)
        while True:
            answer = session.receive(_TENDING_PERIOD_S)
            if isinstance(answer, Failed):
                self._lose_failed(answer, team)
                return
            if answer is None:
                waited_s = time.monotonic() - ordered_at
                self._membership.tend(team, is_team_suspected=waited_s > self._silence_allowed_s())
                if self._is_lost_in_silence(team, waited_s):
                    return
                continue
            step += order.steps
            check_losses(answer, self._settings.learning_rate, self._state.step)
            self._progress.add(answer)
            self._vain_sessions = 0
            self._membership.clear_suspicion()
            self._note_slowness(answer, team)
            self._rescale()
            is_over = answer.state is not None and (
                step == self._settings.steps or self._membership.wished_team(team) != team
            )
            if not is_over:
                order, ordered_at, step = self._order(session, team, step)
            self._take(answer, order.steps)
            if is_over:
                session.leave()
                return
            self._membership.tend(team)

    def _order(self, session: SessionProcess, team: Team, step: int) -> tuple[Order, float, int]:
        """Send the next order and return it, when it was sent, and the step it begins at."""
        is_change_wished = self._membership.wished_team(team) != team
        steps = min(STEPS_A_CALL - step % STEPS_A_CALL, self._settings.steps - step)
        now = time.monotonic()
        is_state_due = now - self._state_ordered_at > self._settings.checkpoint_period_s
        is_last = step + steps == self._settings.steps
        order = Order(0 if is_change_wished else steps, is_change_wished or is_state_due or is_last)
        session.send(order)
        if order.is_state_wanted:
            self._state_ordered_at = now
        return order, now, step

    def _take(self, trained: Trained, next_steps: int) -> None:
        """Report what was trained and keep its state; the session is computing meanwhile."""
        self._progress.report(trained, self._settings, self._log)
        note_last_seen(self._membership, self._progress, trained, next_steps)
        if trained.state:
            self._state = trained.state
            self._store.save(trained.state)

    def _silence_allowed_s(self) -> float:
        sec_per_step = self._progress.sec_per_step
        return diagnosis.silence_allowed_s(sec_per_step * STEPS_A_CALL if sec_per_step else 0)

    def _is_lost_in_silence(self, team: Team, waited_s: float) -> bool:
        dead = self._membership.dead_in(team)
        if dead:
            self._lose(dead)
            return True
        patience_s = self._settings.peer_timeout_s * (1 if self._progress.calls else _FIRST_CALL_PATIENCE)
        if waited_s > max(patience_s, 10 * self._silence_allowed_s()):
            self._end_in_vain(f"no step has ended for {waited_s:.0f} s although all servers answer")
            return True
        return False

    def _lose_failed(self, failed: Failed, team: Team) -> None:
        """Find out whom a failed session lost."""
        if not failed.is_peer_fault:
            raise RunError(
                f"the computation failed after step {self._state.step}: "
                f"{diagnosis.in_short(failed.message)}. The traceback is in tensorflow.log"
            )
        dead = self._membership.ask_all(team)
        if dead:
            self._lose(dead)
            return
        restarted = diagnosis.named_servers(failed.message, team)
        if restarted and self._vain_sessions < _VAIN_SESSIONS:
            self._vain_sessions += 1
            self._lose(
                dict.fromkeys(restarted, "it has forgotten the run and answers again: it was restarted"), True
            )
            return
        self._end_in_vain(f"the session ended: {diagnosis.in_short(failed.message)}")

    def _lose(self, lost: dict[Server, str], are_back: bool = False) -> None:
        """Name who was lost, and set them aside."""
        for server, failure in lost.items():
            peer = self._membership.roster.peer_of(server)
            if not self._membership.is_offered(server):
                self._log.say(f"{server} is no longer offered and has gone")
                continue
            role = "the master" if server == self._progress.team.holder else "a worker"
            self._log.warn(
                f"lost {role}, {server}: {failure}; {last_seen(peer)}. "
                + ("" if are_back else "It rejoins when it answers: start it again if it has ended. ")
                + f"The run goes on from step {self._state.step}"
                + (", the last checkpoint" if self._state.step else ", as there is no checkpoint yet"),
                server=server.name,
                step=self._state.step,
            )
            if not are_back:
                self._membership.set_aside(server, failure)

    def _end_in_vain(self, what: str) -> None:
        self._vain_sessions += 1
        if self._vain_sessions >= _VAIN_SESSIONS:
            raise RunError(
                f"{_VAIN_SESSIONS} sessions in a row were lost, the last one so: {what}. "
                f"{checkpoint_kept(self._state.step)}; what TensorFlow said is in tensorflow.log"
            )
        self._log.warn(f"{what}. Starting anew from step {self._state.step}")

    def _rescale(self) -> None:
        """Let the run's own choice of the number of workers follow the speed measured."""
        sec_per_step = self._progress.sec_per_step
        if self._scale is None or sec_per_step is None or self._progress.measured_s < _MEASURED_S:
            return
        workers = len(self._progress.team.workers)
        offered = len(self._membership.roster.ready_workers())
        speed = self._settings.batch_size / sec_per_step
        if self._scale.observe(workers, speed, offered, time.monotonic()):
            self._membership.most_workers = self._scale.count
            self._log.say(f"workers auto: {workers} -> {self._scale.count}: {self._scale.reason}")
            self._log.record("scale", workers=self._scale.count, reason=self._scale.reason)

    def _note_slowness(self, trained: Trained, team: Team) -> None:
        """Set a worker aside that has made all others wait for some seconds."""
        if trained.reports is None or self._progress.calls < 2:
            return
        steps, shares = len(trained.reports.losses), self._progress.shares
        busy_s = [float(value) for value in trained.reports.busy_s]
        slow = diagnosis.slow_worker(busy_s, shares, trained.duration_s / steps)
        if slow is None or slow != self._slow:
            self._slow, self._slow_s = slow, 0.0
        self._slow_s += trained.duration_s
        if slow is None or self._slow_s < diagnosis.SLOW_FOR_S:
            return
        server = team.workers[slow]
        text = f"it took {diagnosis.duration(busy_s[slow])} a step for {shares[slow]} examples"
        times = busy_s[slow] / statistics.median([*busy_s[:slow], *busy_s[slow + 1 :]])
        peer = self._membership.roster.peer_of(server)
        rest = f"in {peer.rest_s:.0f} s" if peer else "later"
        self._log.warn(
            f"{server} is slow: {text}, {times:.0f} times the others. Look at what else its node runs; it is "
            f"set aside and tried again {rest}",
            server=server.name,
            step=trained.first_step + steps,
        )
        self._membership.set_aside(server, text, is_slow=True)


def _counted(workers: int) -> str:
    return "1 worker" if workers == 1 else f"{workers} workers"
