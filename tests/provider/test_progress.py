"""Lines reach the right row, and not too many of them."""

import threading

import pytest

from provider.errors import InterruptedByUser, ProviderError
from provider.operation import HEARTBEAT_S, Operation
from provider.progress import Progress

URN = "urn:pulumi:dev::tfcluster::tfcluster:index:Servers$tfcluster:index:ServerProcesses::worker-processes"


class Recorder:
    """A terminal that keeps what it is told."""

    def __init__(self):
        self.lines = []

    def __call__(self, urn, line, *, is_warning, is_ephemeral):
        assert urn == URN
        self.lines.append((line, "warning" if is_warning else "fleeting" if is_ephemeral else "staying"))


def make_operation(terminal, clock=None):
    progress = Progress(terminal, URN, clock) if clock else Progress(terminal, URN)
    return Operation(urn=URN, progress=progress, cancelled=threading.Event())


def test_fleeting_lines_come_once_a_second_at_first_and_ever_more_rarely_in_a_long_run():
    now = 0.0
    recorder = Recorder()
    progress = Progress(recorder, URN, lambda: now)
    counts = []
    for _ in range(6):
        before = len(recorder.lines)
        for _ in range(6000):
            now += 0.1
            progress.show("step")
        counts.append(len(recorder.lines) - before)
    assert 61 < counts[0] < 120
    assert all(59 <= count <= 60 for count in counts[1:]), "later, one every ten seconds"


def test_lines_that_stay_are_never_dropped():
    recorder = Recorder()
    progress = Progress(recorder, URN, lambda: 0.0)
    progress.say("one")
    progress.say("two")
    progress.warn("three")
    assert recorder.lines == [("one", "staying"), ("two", "staying"), ("three", "warning")]


def test_an_operation_knows_resource_stack_and_project():
    operation = make_operation(Recorder())
    assert (operation.name, operation.stack, operation.project) == ("worker-processes", "dev", "tfcluster")


def test_a_wait_returns_what_it_waited_for():
    found = iter([None, False, "port"])
    wait = make_operation(Recorder()).wait_until
    assert (
        wait("the port", lambda: next(found), deadline_s=60, setting="clusterWaitSeconds", period_s=0)
        == "port"
    )


def test_a_wait_that_fails_names_what_how_long_the_state_and_the_setting():
    with pytest.raises(
        ProviderError, match=r"the port: not there after 0\.05 s: closed\. Raise clusterWaitSeconds"
    ):
        make_operation(Recorder()).wait_until(
            "the port", lambda: None, deadline_s=0.05, setting="clusterWaitSeconds", status=lambda: "closed",
            period_s=0.01,
        )  # fmt: skip


def test_a_heartbeat_speaks_only_after_half_a_minute_of_silence():
    now = 0.0
    recorder = Recorder()
    operation = make_operation(recorder, lambda: now)
    for _ in range(100):
        now += 1
        operation.heartbeat("still there")
    assert len(recorder.lines) == 3


def test_a_long_wait_leaves_a_line_every_half_minute():
    now = 0.0
    recorder = Recorder()
    operation = make_operation(recorder, lambda: now)
    polls = 0

    def poll():
        nonlocal now, polls
        now += HEARTBEAT_S
        polls += 1
        return polls == 4

    operation.wait_until("x", poll, deadline_s=600, setting="s", period_s=0)
    assert len([line for line, kind in recorder.lines if kind == "staying"]) == 3


def test_an_interrupted_wait_ends():
    operation = make_operation(Recorder())
    operation.cancelled.set()
    with pytest.raises(InterruptedByUser):
        operation.wait_until("x", lambda: None, deadline_s=600, setting="s")
