import pytest

from training import membership
from training.errors import RunError
from training.members import Members, MembersError, Server
from training.membership import Membership
from training.probes import Answer
from training.run_log import RunLog
from training.session import Team
from training.settings import RunSettings

MASTER = Server("master", "h:1")
WORKERS = tuple(Server(f"worker{number}", f"h:{10 + number}") for number in range(4))


class FakeProbes:
    """Answers at once, as ``down`` says."""

    down: dict[str, str]

    def __init__(self) -> None:
        self._asked: list[str] = []

    def start(self, address: str, timeout_s: float) -> None:
        assert timeout_s > 0
        self._asked.append(address)

    def answers(self, wait_s: float = 0) -> list[Answer]:
        assert wait_s == 0
        asked, self._asked = self._asked, []
        return [Answer(address, self.down.get(address), 0) for address in asked]

    def close(self) -> None:
        self._asked.clear()


class Source:
    """A membership source that says what the test wants."""

    def __init__(self) -> None:
        self.says: Members | str = Members(MASTER, WORKERS[:2])

    def read(self) -> Members:
        if isinstance(self.says, str):
            raise MembersError(self.says)
        return self.says


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def down(monkeypatch) -> dict[str, str]:
    found: dict[str, str] = {}
    monkeypatch.setattr(FakeProbes, "down", found, raising=False)
    monkeypatch.setattr(membership, "Probes", FakeProbes)
    monkeypatch.setattr(membership, "_SOURCE_PERIOD_S", 0)
    monkeypatch.setattr(membership, "_SOURCE_SHARE", 0)
    monkeypatch.setattr("training.roster.PROBE_PERIOD_S", 0)
    return found


@pytest.fixture
def members(source, down, tmp_path):
    assert down == {}
    log = RunLog(tmp_path)
    settings = RunSettings(members="file:/x", cluster_wait_s=0.3, peer_timeout_s=0.1, batch_size=3)
    yield Membership(source, settings, log)
    log.close()


def test_everybody_at_the_start_is_everybody_listed(members) -> None:
    assert members.wait_for_everybody() == Team(MASTER, WORKERS[:2])


def test_who_is_missing_at_the_start_is_named(members, down) -> None:
    down |= {"h:11": "connection refused", "h:1": "its name does not resolve (x)"}
    with pytest.raises(RunError) as caught:
        members.wait_for_everybody()
    assert str(caught.value) == (
        "servers are missing after 0.3 s: master (h:1): its name does not resolve (x); "
        "worker1 (h:11): connection refused. Start them, or raise cluster_wait_s"
    )


def test_a_source_that_can_not_be_read_is_part_of_the_answer(members, source) -> None:
    source.says = "members.json: No such file or directory"
    with pytest.raises(RunError, match=r"; the membership source: members\.json: No such file"):
        members.wait_for_everybody()


def test_a_team_grows_with_newcomers_and_shrinks_with_leavers(members, source) -> None:
    team = members.wait_for_everybody()
    source.says = Members(MASTER, WORKERS[:3])
    members.tend(team)
    assert members.wished_team(team) == Team(MASTER, WORKERS[:3])
    source.says = Members(MASTER, WORKERS[1:2])
    members.tend(team)
    assert members.wished_team(team) == Team(MASTER, WORKERS[1:2])


def test_a_team_never_has_more_workers_than_examples_a_step_or_than_chosen(members, source) -> None:
    source.says = Members(MASTER, WORKERS)
    team = members.wait_for_everybody()
    assert team.workers == WORKERS[:3]
    members.most_workers = 2
    assert members.wished_team(team).workers == WORKERS[:2]


def test_a_source_that_fails_for_a_while_changes_nothing(members, source, capfd) -> None:
    team = members.wait_for_everybody()
    source.says = "no answer"
    for _ in range(3):
        members.tend(team)
    assert members.wished_team(team) == team
    assert capfd.readouterr().out.count("warning: the membership source can't be read: no answer") == 1


def test_a_suspected_peer_is_dead_after_two_failures_or_a_refusal(members, down) -> None:
    team = members.wait_for_everybody()
    down["h:10"] = "accepted the connection, but did not answer within 2 s"
    members.tend(team, is_team_suspected=True)
    assert members.dead_in(team) == {}
    members.tend(team, is_team_suspected=True)
    assert members.dead_in(team) == {WORKERS[0]: down["h:10"]}
    members.clear_suspicion()
    down["h:10"] = "connection refused"
    members.tend(team, is_team_suspected=True)
    assert members.dead_in(team) == {WORKERS[0]: "connection refused"}


def test_a_master_that_stays_away_is_stood_in_for(members, down, capfd) -> None:
    members.wait_for_everybody()
    down["h:1"] = "connection refused"
    members.set_aside(MASTER, "connection refused")
    assert members.wait_for_team() == Team(WORKERS[0], WORKERS[:2])
    assert "warning: the master has not answered for 0.1 s: worker0" in capfd.readouterr().out
    del down["h:1"]
    team = Team(WORKERS[0], WORKERS[:2])
    members.tend(team)
    assert members.wished_team(team) == Team(MASTER, WORKERS[:2]), "it takes the model back"


def test_without_a_worker_the_wait_ends_naming_all(members, down) -> None:
    members.wait_for_everybody()
    down |= {"h:10": "connection refused", "h:11": "connection refused"}
    for server in WORKERS[:2]:
        members.set_aside(server, "connection refused")
    with pytest.raises(
        RunError, match=r"no worker answers after 0\.3 s: worker0 .*refused; worker1 .*refused"
    ):
        members.wait_for_team()
