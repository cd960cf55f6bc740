import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.parcels import cut, one_each
from training.tasks import mnist

MNIST = {name: value.shape for name, value in mnist.initial_parameters(1).items()}
shapes = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.lists(st.integers(1, 40), min_size=0, max_size=3).map(tuple),
    min_size=1,
    max_size=6,
)


@given(shapes, st.integers(1, 12))
def test_every_row_is_in_exactly_one_parcel(model: dict[str, tuple[int, ...]], parcels: int) -> None:
    rows = sum((shape or (1,))[0] for shape in model.values())
    if rows < parcels:
        with pytest.raises(ValueError, match="can't be cut"):
            cut(model, parcels)
        return
    try:
        found = cut(model, parcels)
    except ValueError:
        return  # few rows of very different sizes
    assert len(found) == parcels
    assert all(found)
    for name, shape in model.items():
        pieces = sorted(
            (piece for parcel in found for piece in parcel if piece.name == name),
            key=lambda piece: piece.first,
        )
        assert pieces[0].first == 0
        assert pieces[-1].end == (shape or (1,))[0]
        assert all(before.end == after.first for before, after in itertools.pairwise(pieces))
        assert sum(piece.size for piece in pieces) == math.prod(shape)


@pytest.mark.parametrize("parcels", range(1, 101))
def test_the_networks_parcels_are_equal_within_three_percent_or_one_row(parcels: int) -> None:
    sizes = [sum(piece.size for piece in parcel) for parcel in cut(MNIST, parcels)]
    even = sum(sizes) / parcels
    assert max(sizes) - even <= max(0.03 * even, 1024)


def test_all_but_the_first_parcel_of_the_network_are_one_piece_that_needs_no_packing() -> None:
    first, *others = cut(MNIST, 3)
    assert [len(parcel) for parcel in others] == [1, 1]
    assert {piece.name for piece in first} == set(MNIST)


def test_a_parcel_each_is_the_model_as_it_is() -> None:
    assert [(piece.name, piece.shape) for (piece,) in one_each(MNIST)] == list(MNIST.items())
