import os
import signal
import time

import pytest

from training import watch
from training.run_log import RunLog
from training.watch import DeadlinePassed, Stopped, Watch


@pytest.fixture
def log(tmp_path):
    found = RunLog(tmp_path)
    yield found
    found.close()


@pytest.fixture
def watching(log, monkeypatch):
    """Start watches that tick quickly and leave no handler behind."""
    monkeypatch.setattr(watch, "_TICK_S", 0.02)
    handlers = {
        number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)
    }
    started: list[Watch] = []

    def start(timeout_s: float = 60.0, stops_with_parent: bool = False) -> Watch:
        started.append(Watch(log, timeout_s, stops_with_parent))
        started[-1].start()
        return started[-1]

    yield start
    for found in started:
        found.stop()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def wait() -> None:
    for _ in range(500):
        time.sleep(0.02)


def wait_after(number: int) -> None:
    os.kill(os.getpid(), number)
    wait()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_stops_whatever_goes_on(watching, number, code) -> None:
    watching()
    with pytest.raises(Stopped, match=f"told to stop by {number.name}") as caught:
        wait_after(number)
    assert caught.value.exit_code == code


def test_the_deadline_stops_whatever_goes_on(watching) -> None:
    watching(timeout_s=0.05)
    with pytest.raises(DeadlinePassed):
        wait()


def test_the_end_of_standard_input_is_the_parents_end(watching, monkeypatch) -> None:
    read, write = os.pipe()
    monkeypatch.setattr(watch, "_has_ended", lambda _descriptor, has_ended=watch._has_ended: has_ended(read))
    watching(stops_with_parent=True)
    time.sleep(0.1)
    os.close(write)
    with pytest.raises(Stopped, match="its parent has ended"):
        wait()
    os.close(read)


def test_silence_is_broken_by_a_heartbeat(watching, log, monkeypatch, capfd) -> None:
    monkeypatch.setattr(watch, "HEARTBEAT_S", 0.05)
    log.doing = "waiting for something"
    watching()
    time.sleep(0.5)
    assert "still waiting for something\n" in capfd.readouterr().out


def test_after_the_stop_nothing_interrupts(watching) -> None:
    found = watching(timeout_s=0.05)
    found.stop()
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGTERM)
