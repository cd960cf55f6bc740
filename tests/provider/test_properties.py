"""Property sets cross the wire unchanged, and the engine's marks are understood."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime.rpc import UNKNOWN

from provider.properties import Properties, decode, encode, names_of, plain, unknown_names, wire
from provider.resource import changed_names

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, width=32)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class Server(Properties, frozen=True, kw_only=True):
    start_time: str


class Sample(Properties, frozen=True, kw_only=True):
    state_dir: str
    count: int
    learning_rate: float = 0.5
    servers: tuple[Server, ...] = ()
    speedup: float | None = None


@given(json_values)
def test_any_json_value_comes_back_from_the_wire_as_it_went(value):
    assert plain(PropertyValue.unmarshal(wire(value).marshal())) == value


def test_names_are_camel_case_in_the_engine_and_snake_case_in_python():
    sample = Sample(state_dir="/s", count=2, servers=(Server(start_time="b:1"),))
    sent = encode(sample)
    assert sent["stateDir"].value == "/s"
    assert plain(sent["servers"]) == [{"startTime": "b:1"}]
    assert decode(Sample, sent) == sample
    assert names_of(Sample) == {"stateDir", "count", "learningRate", "servers", "speedup"}


def test_whole_numbers_from_the_wire_are_read_as_int_and_as_float():
    read = decode(Sample, {"stateDir": wire("/s"), "count": wire(3.0), "learningRate": wire(1)})
    assert (read.count, read.learning_rate) == (3, 1.0)
    assert isinstance(read.count, int)


@pytest.mark.parametrize(
    ("values", "named"),
    [({"stateDir": wire("/s")}, "count"), ({"stateDir": wire(1), "count": wire(1)}, "stateDir")],
)
def test_a_missing_or_mistyped_property_is_named(values, named):
    with pytest.raises(msgspec.ValidationError, match=named):
        decode(Sample, values)


def test_unknowns_are_found_at_any_depth():
    values = {"a": wire([{"b": UNKNOWN}]), "b": wire("known"), "c": PropertyValue.computed()}
    assert unknown_names(values) == {"a", "c"}


def test_named_outputs_are_secret_and_others_are_not():
    sent = encode(Sample(state_dir="/s", count=1), secret={"count"})
    assert [name for name, value in sent.items() if value.is_secret] == ["count"]


def test_changed_names_are_those_of_the_engine():
    old = Sample(state_dir="/s", count=1)
    assert changed_names(old, Sample(state_dir="/t", count=1, learning_rate=0.1)) == {
        "stateDir",
        "learningRate",
    }
    assert not changed_names(old, Sample(state_dir="/s", count=1))
