"""Who may work: the servers on offer, which of them answer, and which were set aside and for how long.

Pure bookkeeping with the time given from outside; it opens no connection. The supervisor feeds it what the
membership source and the probes say, and asks it whom to use.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from training.members import Members, Server
from training.session import Team

PROBE_PERIOD_S = 1.0
FIRST_REST_S, LONGEST_REST_S = 10.0, 300.0
JOIN_PATIENCE_S = 3.0


@dataclass
class Peer:
    """What is known of one server.

    Attributes:
        server: The server.
        is_ready: Whether it answered when last asked, and has not been set aside since.
        failure: What happened when it was last asked or used; empty where nothing is wrong.
        is_slow: Whether it was set aside for being slow: it rests before it is asked again.
        rest_until: Not asked before this time.
        rest_s: How long it rests when it is slow again.
        ready_since: When it became ready.
        last_seen: What it last did, in words.
    """

    server: Server
    is_ready: bool = False
    failure: str = "not asked yet"
    is_slow: bool = False
    rest_until: float = 0
    rest_s: float = FIRST_REST_S
    ready_since: float = 0
    last_seen: str = ""


@dataclass
class Roster:
    """The peers by name, in the order of their numbers, the master apart."""

    master: Peer | None = None
    workers: dict[str, Peer] = field(default_factory=dict[str, Peer])

    def update(self, offered: Members) -> list[str]:
        """Take over what the membership source says and return, in words, who came and who left."""
        news: list[str] = []
        master_before = self.master
        if offered.master is None:
            self.master = None
        elif not self.master or self.master.server != offered.master:
            self.master = Peer(offered.master)
        if master_before and (not self.master or self.master is not master_before):
            news.append(f"{master_before.server} left")
        before = self.workers
        self.workers = {
            server.name: before[server.name] if _is_same(before.get(server.name), server) else Peer(server)
            for server in offered.workers
        }
        news += [f"{peer.server} left" for peer in before.values() if peer not in self.workers.values()]
        return news

    def peers(self) -> list[Peer]:
        """Return all peers, the master first."""
        return [*([self.master] if self.master else []), *self.workers.values()]

    def peer_of(self, server: Server) -> Peer | None:
        """Return the peer of a server, None where it is not on offer any more."""
        return next((peer for peer in self.peers() if peer.server == server), None)

    def to_probe(self, team: Team | None, now: float) -> list[str]:
        """Return the addresses to ask now: all that are not working, unless they rest, each once a period."""
        working = team.servers if team else ()
        due = [peer for peer in self.peers() if peer.server not in working and now >= peer.rest_until]
        for peer in due:
            peer.rest_until = now + PROBE_PERIOD_S
        return [peer.server.address for peer in due]

    def take_answer(self, address: str, failure: str | None, now: float) -> None:
        """Note what a probe found."""
        for peer in self.peers():
            if peer.server.address == address:
                if failure is None and not peer.is_ready:
                    peer.is_ready, peer.is_slow, peer.ready_since, peer.failure = True, False, now, ""
                elif failure is not None:
                    peer.is_ready, peer.failure = False, failure

    def set_aside(self, server: Server, failure: str, is_slow: bool, now: float) -> None:
        """Stop using a server until it answers again; where it was slow, it rests longer each time."""
        peer = self.peer_of(server)
        if peer:
            peer.is_ready, peer.failure, peer.is_slow = False, failure, is_slow
            if is_slow:
                peer.rest_until, peer.rest_s = now + peer.rest_s, min(2 * peer.rest_s, LONGEST_REST_S)

    def ready_workers(self) -> list[Server]:
        """Return the workers that may be used."""
        return [peer.server for peer in self.workers.values() if peer.is_ready]

    def is_settled(self, now: float) -> bool:
        """Whether nobody is expected to become ready within moments, so that newcomers join together."""
        newest = max((peer.ready_since for peer in self.peers() if peer.is_ready), default=now)
        waiting = [
            peer for peer in self.peers() if not peer.is_ready and not peer.is_slow and not peer.last_seen
        ]
        return not waiting or now - newest > JOIN_PATIENCE_S

    def missing(self, expected_workers: int) -> list[str]:
        """Say of every expected server that is not ready what it answered."""
        said = [f"{peer.server}: {peer.failure}" for peer in self.peers() if not peer.is_ready]
        if not self.master:
            said.insert(0, "master: not listed by the membership source")
        said += [
            f"worker{number}: not listed by the membership source"
            for number in range(len(self.workers), expected_workers)
        ]
        return said


def _is_same(peer: Peer | None, server: Server) -> bool:
    return peer is not None and peer.server == server
