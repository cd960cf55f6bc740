"""Who works: follows the membership source and the servers' answers, and picks the team of a session.

Waits only where there is nobody to work with; otherwise every call returns at once. It starts no session and
keeps no model.
"""

from __future__ import annotations

import time
from collections import Counter

from training.errors import RunError
from training.members import MembersError, MemberSource, Server
from training.probes import Probes, probe_all
from training.roster import Peer, Roster
from training.run_log import RunLog
from training.session import Team
from training.settings import RunSettings

PROBE_TIMEOUT_S = 2.0
_SOURCE_PERIOD_S, _SOURCE_SHARE = 0.5, 20
_WAITING_PERIOD_S = 0.1
_STRIKES = 2


class Membership:
    """The servers of a run, as they come, go, answer and fall silent.

    Args:
        source: Where the servers' addresses come from.
        settings: The run's settings; its waits and numbers of workers are used.
        log: The run's log.
    """

    def __init__(self, source: MemberSource, settings: RunSettings, log: RunLog) -> None:
        self._source, self._settings, self._log = source, settings, log
        self.roster = Roster()
        self.most_workers = settings.batch_size
        self._probes = Probes()
        self._strikes: Counter[str] = Counter()
        self._next_reading = 0.0
        self._source_failure = ""
        self._without_master_since: float | None = None

    def tend(self, team: Team | None, is_team_suspected: bool = False) -> None:
        """Read the source and collect answers; with ``is_team_suspected`` those who work are asked too."""
        now = time.monotonic()
        if now >= self._next_reading:
            self._read_source(team)
            # a name service that answers slowly must not slow the training down with it
            took_s, now = time.monotonic() - now, time.monotonic()
            self._next_reading = now + max(_SOURCE_PERIOD_S, _SOURCE_SHARE * took_s)
        addresses = self.roster.to_probe(team, now)
        if team and is_team_suspected:
            addresses += [server.address for server in team.servers]
        for address in addresses:
            self._probes.start(address, PROBE_TIMEOUT_S)
        working = {server.address for server in team.servers} if team else set[str]()
        for answer in self._probes.answers():
            if answer.address in working:
                self._strike(answer.address, answer.failure)
            else:
                self.roster.take_answer(answer.address, answer.failure, now)

    def dead_in(self, team: Team) -> dict[Server, str]:
        """Return those of a suspected team that have failed to answer, and how."""
        return {
            server: peer.failure
            for server in team.servers
            if self._strikes[server.address] >= _STRIKES and (peer := self.roster.peer_of(server))
        }

    def clear_suspicion(self) -> None:
        """Forget failures to answer: the team has just done its work."""
        self._strikes.clear()

    def ask_all(self, team: Team) -> dict[Server, str]:
        """Ask everybody of a team now and return those who don't answer, and how."""
        failures = probe_all([server.address for server in team.servers], PROBE_TIMEOUT_S)
        return {server: failure for server in team.servers if (failure := failures[server.address])}

    def is_offered(self, server: Server) -> bool:
        """Whether the source still lists a server, asked now."""
        self._read_source(None)
        return self.roster.peer_of(server) is not None

    def set_aside(self, server: Server, failure: str, is_slow: bool = False) -> None:
        """Stop using a server until it answers again or, where it was slow, until it has rested."""
        self.roster.set_aside(server, failure, is_slow, time.monotonic())

    def wished_team(self, current: Team) -> Team:
        """Return the team to have now, which is ``current`` itself where nothing shall change."""
        workers = tuple(self.roster.ready_workers()[: self.most_workers])
        is_growing = set(workers) > set(current.workers)
        if not workers or (is_growing and not self.roster.is_settled(time.monotonic())):
            return current
        master = self.roster.master
        if master and master.is_ready:
            return Team(master.server, workers)
        return Team(current.holder if current.holder in workers else workers[0], workers)

    def wait_for_everybody(self) -> Team:
        """Wait for all servers that are to be there at the start.

        Raises:
            RunError: Some don't answer by ``cluster_wait_s``; the message names each and what it answered.
        """
        expected = self._settings.workers
        self._log.phase("wait", f"waiting for the servers' ports, up to {self._settings.cluster_wait_s:g} s")
        deadline = time.monotonic() + self._settings.cluster_wait_s
        while True:
            self.tend(None)
            roster = self.roster
            workers = roster.ready_workers()
            is_complete = len(workers) >= max(expected, 1) and len(workers) >= (
                0 if expected else len(roster.workers)
            )
            if is_complete and roster.master and roster.master.is_ready:
                return Team(roster.master.server, tuple(workers[: self.most_workers]))
            if time.monotonic() > deadline:
                raise RunError(
                    self._nobody(f"servers are missing after {self._settings.cluster_wait_s:g} s", expected)
                )
            time.sleep(_WAITING_PERIOD_S)

    def wait_for_team(self) -> Team:
        """Return whoever may work, waiting for a worker, and for the master as long as ``peer_timeout_s``.

        Raises:
            RunError: No worker answers by ``cluster_wait_s``; the message names all of them.
        """
        deadline = time.monotonic() + self._settings.cluster_wait_s
        has_told = False
        while True:
            self.tend(None)
            workers = tuple(self.roster.ready_workers()[: self.most_workers])
            holder = self._holder(workers)
            if holder and workers and self.roster.is_settled(time.monotonic()):
                return Team(holder, workers)
            if not workers and time.monotonic() > deadline:
                waited = f"no worker answers after {self._settings.cluster_wait_s:g} s"
                raise RunError(self._nobody(waited, len(self.roster.workers)))
            if not has_told and not (holder and workers):
                has_told = True
                missing = "any worker" if not workers else "the master"
                self._log.phase("wait", f"waiting for {missing}: {'; '.join(self.roster.missing(0))}")
            time.sleep(_WAITING_PERIOD_S)

    def close(self) -> None:
        """Forget all probes."""
        self._probes.close()

    def _holder(self, workers: tuple[Server, ...]) -> Server | None:
        now = time.monotonic()
        if self.roster.master and self.roster.master.is_ready:
            self._without_master_since = None
            return self.roster.master.server
        if self._without_master_since is None:
            self._without_master_since = now
        if workers and now - self._without_master_since > self._settings.peer_timeout_s:
            self._log.warn(
                f"the master has not answered for {self._settings.peer_timeout_s:g} s: {workers[0]} holds "
                "the model until it is back"
            )
            return workers[0]
        return None

    def _read_source(self, team: Team | None) -> None:
        try:
            news = self.roster.update(self._source.read())
        except MembersError as error:
            if str(error) != self._source_failure and team:
                self._log.warn(
                    f"the membership source can't be read: {error}. The servers known so far are used"
                )
            self._source_failure = str(error)
            return
        self._source_failure = ""
        for line in news:
            self._log.say(line)

    def _strike(self, address: str, failure: str | None) -> None:
        if failure is None:
            self._strikes[address] = 0
            return
        self._strikes[address] += _STRIKES if "refused" in failure else 1
        for peer in self.roster.peers():
            if peer.server.address == address:
                peer.failure = failure

    def _nobody(self, what: str, expected: int) -> str:
        source = f"; the membership source: {self._source_failure}" if self._source_failure else ""
        missing = "; ".join(self.roster.missing(expected))
        return f"{what}: {missing}{source}. Start them, or raise cluster_wait_s"


def last_seen(peer: Peer | None) -> str:
    """Say what a peer last did."""
    return (peer.last_seen if peer else "") or "it had not finished a step in this session"
