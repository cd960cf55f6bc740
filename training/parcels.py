"""How a model is cut into parcels of about equal size, one for each member of a group of workers.

Pure. A parcel is a list of pieces; a piece is a run of rows (of the first axis) of one parameter, so that
cutting a piece out of a gradient is a view and not a copy. Who owns which parcel is ``training.exchange``'s
business.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """Rows ``[first, end)`` of the first axis of a parameter.

    Attributes:
        name: The parameter.
        first: First row.
        end: One past the last row.
        shape: Shape of the piece itself.
    """

    name: str
    first: int
    end: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers in the piece."""
        return math.prod(self.shape)


Parcel = tuple[Piece, ...]
Shapes = Mapping[str, tuple[int, ...]]


def one_each(shapes: Shapes) -> list[Parcel]:
    """Return a parcel for every parameter: the model as it is, for where nothing need be packed."""
    return [(Piece(name, 0, (shape or (1,))[0], shape or (1,)),) for name, shape in shapes.items()]


def cut(shapes: Shapes, parcels: int) -> list[Parcel]:
    """Cut parameters of these shapes into ``parcels`` parcels.

    Parameters are taken from the smallest to the largest, so that most parcels are a single piece of a large
    one, which needs no packing to be sent. Parameters of shape ``()`` count as one row.

    Returns:
        The parcels, none of them empty.

    Raises:
        ValueError: There are fewer rows than parcels.
    """
    sizes = {name: math.prod(shape) for name, shape in shapes.items()}
    left, parcels_left = sum(sizes.values()), parcels
    found: list[Parcel] = []
    parcel: list[Piece] = []
    room = left / parcels_left
    for name in sorted(shapes, key=lambda name: sizes[name]):
        shape = shapes[name] or (1,)
        row_size, first = sizes[name] / shape[0], 0
        while first < shape[0]:
            rows = max(1, round(room / row_size)) if parcels_left > 1 else shape[0] - first
            end = min(shape[0], first + rows)
            parcel.append(Piece(name, first, end, (end - first, *shape[1:])))
            taken = (end - first) * row_size
            left, room, first = left - taken, room - taken, end
            if parcels_left > 1 and room < row_size / 2 and left > 0:
                found.append(tuple(parcel))
                parcel, parcels_left = [], parcels_left - 1
                room = left / parcels_left
    found.append(tuple(parcel))
    if len(found) < parcels:
        raise ValueError(f"a model of {sum(sizes.values())} numbers can't be cut into {parcels} parcels")
    return found
