"""What of a run's log reaches the terminal."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provider.local.run_log import RunLog
from provider.progress import Progress
from provider.run_lines import STAYING_LINES_AT_ONCE

LOG = b"""data: the cache
warning: worker3 is slow
  step  accuracy     loss  sec/step  examples/s  workers  time left
    10    0.4150   1.8120     0.047        5949        2       0:20
    15    0.5      1.7       0.047        5949        2          ?
20 0.6 1.1e-05 0.046
error: disk full: free some
test accuracy 0.98
"""
SHOWN = [
    ("data: the cache", "staying"),
    ("worker3 is slow", "warning"),
    ("step 10 of 20: accuracy 0.4150, loss 1.8120, 0.047 s a step, 2 workers, 0:20 left", "fleeting"),
    ("step 15 of 20: accuracy 0.5, loss 1.7, 0.047 s a step, 2 workers", "fleeting"),
    ("step 20 of 20: accuracy 0.6, loss 1.1e-05, 0.046 s a step", "fleeting"),
    ("test accuracy 0.98", "staying"),
]


class Terminal(list):
    """Keeps every line and its kind; its clock makes a jump with each look, so that none is throttled."""

    now = 0.0

    def __call__(self, urn, line, *, is_warning, is_ephemeral):
        del urn
        self.append((line, "warning" if is_warning else "fleeting" if is_ephemeral else "staying"))

    def clock(self):
        self.now += 100
        return self.now

    def progress(self):
        return Progress(self, "urn", self.clock)


def relayed(path, chunks):
    terminal = Terminal()
    progress = terminal.progress()
    path.unlink(missing_ok=True)
    log = RunLog(path, steps=20)
    log.relay(progress)
    for chunk in chunks:
        with path.open("ab") as stream:
            stream.write(chunk)
        log.relay(progress)
    log.relay_rest(progress)
    return terminal, log


@given(st.lists(st.integers(0, len(LOG)), max_size=6))
def test_lines_are_relayed_once_and_whole_however_they_are_written(tmp_path_factory, cuts):
    bounds = [0, *sorted(cuts), len(LOG)]
    chunks = [LOG[start:end] for start, end in pairwise(bounds)]
    terminal, log = relayed(tmp_path_factory.getbasetemp() / "train.log", chunks)
    assert terminal == SHOWN
    assert log.last_error == "disk full: free some"
    assert log.last_progress.startswith("step 20 of 20")
    assert log.last_line == "test accuracy 0.98"


def test_a_last_line_without_an_end_is_relayed_too(tmp_path):
    terminal, _ = relayed(tmp_path / "train.log", [b"half a"])
    assert terminal == [("half a", "staying")]


def test_what_was_there_before_the_offset_is_not_shown_again(tmp_path):
    (tmp_path / "train.log").write_text("old\nnew\n")
    terminal = Terminal()
    RunLog(tmp_path / "train.log", steps=1, offset=4).relay(terminal.progress())
    assert terminal == [("new", "staying")]


def test_a_row_is_remembered_in_words(tmp_path):
    _, log = relayed(tmp_path / "train.log", [b"10 0.5 1.5 0.047\n"])
    assert log.last_line == log.last_progress == "step 10 of 20: accuracy 0.5, loss 1.5, 0.047 s a step"


@pytest.mark.parametrize("line", ["chatter", "warning: chatter"])
def test_a_flood_of_lines_does_not_stay_on_the_terminal(tmp_path, line):
    (tmp_path / "train.log").write_text(f"{line}\n" * 5000)
    terminal = Terminal()
    RunLog(tmp_path / "train.log", steps=1, clock=lambda: 0.0).relay(terminal.progress())
    assert len([kind for _, kind in terminal if kind != "fleeting"]) == STAYING_LINES_AT_ONCE
