import pytest

from training.diagnosis import (
    SILENCE_FLOOR_S,
    duration,
    in_short,
    named_servers,
    silence_allowed_s,
    slow_worker,
)
from training.members import Server
from training.session import Team

MASTER, ZERO, ONE = Server("master", "h:1"), Server("worker0", "h:2"), Server("worker1", "h:3")
REFUSED = """Graph execution error:

Detected at node StatefulPartitionedCall_9/Read/ReadVariableOp/_526 defined at (most recent call last):
<stack traces unavailable>
  (0) UNAVAILABLE:  recvmsg:Connection reset by peer
Additional GRPC error information from remote target /job:worker/replica:0/task:1/device:CPU:0 while X:
"""


@pytest.mark.parametrize(
    ("busy_s", "shares", "sec_per_step", "slow"),
    [
        ([0.1, 0.1, 1.0], [100, 100, 100], 1.1, 2),
        ([1.0, 0.1], [100, 100], 1.1, 0),
        ([0.1, 0.1, 0.25], [100, 100, 100], 0.3, None),
        ([0.1, 0.1, 0.4], [100, 100, 400], 0.5, None),
        ([0.01, 0.01, 0.1], [100, 100, 100], 1.0, None),
        ([1.0], [100], 1.1, None),
    ],
    ids=[
        "a third one",
        "one of two",
        "not slow enough",
        "a larger share",
        "not what takes the time",
        "alone",
    ],
)
def test_a_slow_worker_is_the_one_the_others_wait_for(busy_s, shares, sec_per_step, slow) -> None:
    assert slow_worker(busy_s, shares, sec_per_step) == slow


@pytest.mark.parametrize(("usual_s", "allowed_s"), [(0, SILENCE_FLOOR_S), (0.1, SILENCE_FLOOR_S), (10, 30)])
def test_silence_is_allowed_for_three_usual_calls_and_at_least_some_seconds(usual_s, allowed_s) -> None:
    assert silence_allowed_s(usual_s) == allowed_s


def test_tensorflows_error_names_the_peer_that_could_not_be_reached() -> None:
    assert named_servers(REFUSED, Team(MASTER, (ZERO, ONE))) == [ONE]
    assert named_servers("from /job:master/replica:0/task:0/device:CPU:0", Team(MASTER, (ZERO,))) == [MASTER]
    assert named_servers("/job:worker/task:7 is none of the team", Team(MASTER, (ZERO,))) == []
    assert named_servers("nothing", Team(MASTER, (ZERO,))) == []


def test_an_error_is_told_by_its_telling_line() -> None:
    assert in_short(REFUSED) == "(0) UNAVAILABLE:  recvmsg:Connection reset by peer"
    assert in_short("\nValueError: shapes differ\n  at x") == "ValueError: shapes differ"
    assert in_short("") == "no message"
    assert len(in_short("x" * 1000)) == 200


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0004, "0.4 ms"), (0.086, "86.0 ms"), (0.9999, "999.9 ms"), (12.34, "12.3 s")]
)
def test_durations_are_told_in_a_unit_that_shows_them(seconds: float, words: str) -> None:
    assert duration(seconds) == words
