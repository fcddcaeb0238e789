"""Orthonormal columns, one more at a time."""

import numpy as np

from ..tensor import Array

_DEPENDENT = 1e-10  # of a unit vector: what is left of it beyond the others when it lies in their span


def spanning(basis: Array, vector: Array) -> tuple[Array, Array]:
    """Orthonormal columns that span a basis and a unit vector, and the coordinates of the vector in them.

    Gram-Schmidt, twice, which is as good as Householder's way. A vector in the span of the basis adds no column.
    """
    rest, coordinates = vector, np.zeros(basis.shape[1])
    for _ in range(2):
        along = rest @ basis
        rest = rest - basis @ along
        coordinates += along
    length = float(np.linalg.norm(rest))
    if length <= _DEPENDENT or basis.shape[1] >= len(vector):
        return basis, coordinates
    return np.column_stack((basis, rest / length)), np.append(coordinates, length)
