import pytest

from training.members import Members, Server
from training.roster import FIRST_REST_S, JOIN_PATIENCE_S, PROBE_PERIOD_S, Roster
from training.session import Team

MASTER = Server("master", "h:1")
ZERO, ONE, TWO = (Server(f"worker{number}", f"h:{10 + number}") for number in range(3))


@pytest.fixture
def roster() -> Roster:
    found = Roster()
    found.update(Members(MASTER, (ZERO, ONE)))
    for server in (MASTER, ZERO, ONE):
        found.take_answer(server.address, None, now=0)
    return found


def test_servers_that_answer_are_ready(roster) -> None:
    assert roster.ready_workers() == [ZERO, ONE]
    roster.take_answer(ONE.address, "connection refused", now=1)
    assert roster.ready_workers() == [ZERO]
    assert roster.missing(2) == ["worker1 (h:11): connection refused"]


def test_servers_that_are_not_listed_are_missing_by_name() -> None:
    assert Roster().missing(2) == [
        "master: not listed by the membership source",
        "worker0: not listed by the membership source",
        "worker1: not listed by the membership source",
    ]


def test_who_leaves_is_told_and_forgotten(roster) -> None:
    assert roster.update(Members(MASTER, (ONE,))) == ["worker0 (h:10) left"]
    assert roster.ready_workers() == [ONE]
    assert roster.update(Members(None, (ONE,))) == ["master (h:1) left"]


def test_a_server_at_another_address_is_a_new_one(roster) -> None:
    moved = Server("worker0", "h:99")
    assert roster.update(Members(MASTER, (moved, ONE))) == ["worker0 (h:10) left"]
    assert roster.ready_workers() == [ONE]
    roster.take_answer("h:99", None, now=1)
    assert roster.ready_workers() == [moved, ONE]


def test_those_who_work_are_not_asked_and_others_once_a_period(roster) -> None:
    team = Team(MASTER, (ZERO,))
    assert roster.to_probe(team, now=10) == [ONE.address]
    assert roster.to_probe(team, now=10 + PROBE_PERIOD_S / 2) == []
    assert roster.to_probe(team, now=10 + PROBE_PERIOD_S) == [ONE.address]
    assert roster.to_probe(None, now=20) == [MASTER.address, ZERO.address, ONE.address]


def test_a_lost_server_is_back_when_it_answers(roster) -> None:
    roster.set_aside(ONE, "connection refused", is_slow=False, now=5)
    assert roster.ready_workers() == [ZERO]
    roster.take_answer(ONE.address, None, now=6)
    assert roster.ready_workers() == [ZERO, ONE]


def test_a_slow_server_rests_longer_each_time(roster) -> None:
    rest_s = FIRST_REST_S
    now = 100.0
    for _ in range(3):
        roster.set_aside(ONE, "it was slow", is_slow=True, now=now)
        team = Team(MASTER, (ZERO,))
        assert roster.to_probe(team, now + rest_s - 0.1) == []
        assert roster.to_probe(team, now + rest_s) == [ONE.address]
        roster.take_answer(ONE.address, None, now + rest_s)
        assert roster.ready_workers() == [ZERO, ONE]
        now, rest_s = now + rest_s, 2 * rest_s


def test_newcomers_are_waited_for_moments_only(roster) -> None:
    roster.update(Members(MASTER, (ZERO, ONE, TWO)))
    assert not roster.is_settled(now=1)
    assert roster.is_settled(now=1 + JOIN_PATIENCE_S)
    roster.take_answer(TWO.address, None, now=2)
    assert roster.is_settled(now=2)
