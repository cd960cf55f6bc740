from hypothesis import given
from hypothesis import strategies as st

from provider.kubernetes.job_log import OVERLAP_S, LogReader


class Source:
    """A log that is written line by line and read in pieces, some of which never arrive."""

    def __init__(self):
        self.lines = []
        self.now = 0
        self.is_broken = False
        self.asked_for = []

    def write(self, *lines):
        stamp = f"2026-11-30T06:{self.now // 60:02}:{self.now % 60:02}"
        self.lines += [(self.now, f"{stamp}Z {line}") for line in lines]

    def fetch(self, since_s):
        self.asked_for.append(since_s)
        if self.is_broken:
            raise ConnectionError
        first = -1 if since_s is None else self.now - since_s
        return "".join(f"{line}\n" for written, line in self.lines if written >= first)


def read(reader):
    try:
        return reader.new_lines()
    except ConnectionError:
        return []


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), st.booleans()), min_size=1, max_size=30))
def test_every_line_arrives_once_and_in_order_however_often_the_way_breaks(turns):
    source = Source()
    reader = LogReader(source.fetch, clock=lambda: source.now)
    got, written = [], 0
    for pause_s, count, is_broken in turns:
        source.now += pause_s
        source.is_broken = is_broken
        source.write(*(f"line {written + number}" for number in range(count)))
        written += count
        got += read(reader)
    source.is_broken = False
    got += read(reader)
    assert got == [f"line {number}" for number in range(written)]


def test_only_the_last_part_of_a_long_log_is_read_again():
    source = Source()
    reader = LogReader(source.fetch, clock=lambda: source.now)
    source.write("first")
    reader.new_lines()
    source.now += 5
    reader.new_lines()
    assert source.asked_for == [None, 5 + OVERLAP_S]


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole():
    text = ["2026-11-30T06:00:00.1Z whole\n2026-11-30T06:00:01Z ha"]
    reader = LogReader(lambda _: text[0])
    assert reader.new_lines() == ["whole"]
    text[0] += "lf\n"
    assert reader.new_lines() == ["half"]


def test_stamps_with_and_without_fractions_are_in_order():
    text = "".join(f"2026-11-30T06:00:00{stamp}Z {stamp}\n" for stamp in ("", ".05", ".1", ".123456789"))
    assert LogReader(lambda _: text).new_lines() == ["", ".05", ".1", ".123456789"]
