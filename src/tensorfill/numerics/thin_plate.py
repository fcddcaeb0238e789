"""A thin plate through known sites: what is missing makes the sum of squared Laplacians as small as possible.

minimise  Σ_s (Δu)_s²      over u at missing sites, on a grid of three modes whose borders are free

Only sites beside missing ones take part, so that a few scratches on a large picture cost little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, generate_binary_structure
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import splu

from ..interrupting import look_at_clock
from ..tensor import Array
from .conjugate_gradients import PreconditionedSystem, ResidualWithin, conjugate_gradients

Mask = NDArray[np.bool_]

_DIRECTLY = 200_000  # unknowns of a surface that are solved for directly; strips have little fill-in
_TOLERANCE, _MOST_STEPS = 1e-4, 500
_RIDGE = 1e-9  # keeps what touches nothing known from being undetermined


def fill_by_thin_plate(values: NDArray[np.floating], missing: Mask) -> Array:
    """Values at missing sites, one row per band. `values` has bands and then three modes, anything where missing."""
    unknown = np.flatnonzero(missing)
    inner, outer, neighbours = _laplacians(missing, unknown)
    flat = values.reshape(len(values), -1)
    right = -(inner.T @ (outer @ flat[:, neighbours].T.astype(np.float64)))
    normal = (inner.T @ inner).tocsc()
    normal.setdiag(normal.diagonal() + _RIDGE)
    look_at_clock()
    surface = sum(size > 1 for size in missing.shape) <= 2
    if surface and len(unknown) <= _DIRECTLY:
        return np.asarray(splu(normal, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(right)).T
    rows, scale = normal.tocsr(), 1 / normal.diagonal()
    system = PreconditionedSystem(lambda x: rows @ x, lambda r: scale * r)
    start = float(np.mean(flat[:, neighbours])) if len(neighbours) else 0.0
    found = np.full(right.T.shape, start)
    for band in range(len(values)):
        look_at_clock()
        residual = right[:, band] - rows @ found[band]
        stop = ResidualWithin(_TOLERANCE * float(np.linalg.norm(right[:, band])), _MOST_STEPS)
        conjugate_gradients(system, found[band], residual, stop)
    return found


def _laplacians(missing: Mask, unknown: NDArray[np.intp]) -> tuple[csr_array, csr_array, NDArray[np.intp]]:
    """Rows of Δ at missing sites and those beside them: what they take from unknown sites, and from known ones."""
    cross = generate_binary_structure(3, 1)
    rows = np.flatnonzero(binary_dilation(missing, cross))
    place = np.stack(np.unravel_index(rows, missing.shape))
    entries: list[tuple[NDArray[np.intp], NDArray[np.intp], float]] = []
    degree = np.zeros(len(rows))
    for mode, size in enumerate(missing.shape):
        stride = int(np.prod(missing.shape[mode + 1 :]))
        for step in (-1, 1):
            inside = (place[mode] + step >= 0) & (place[mode] + step < size)
            entries.append((np.flatnonzero(inside), rows[inside] + step * stride, 1.0))
            degree += inside
    number = np.concatenate([row for row, _, _ in entries] + [np.arange(len(rows))])
    site = np.concatenate([column for _, column, _ in entries] + [rows])
    weight = np.concatenate([np.full(len(row), value) for row, _, value in entries] + [-degree])
    is_unknown = missing.reshape(-1)[site]
    neighbours, known_column = np.unique(site[~is_unknown], return_inverse=True)
    shape = len(rows), len(unknown)
    inner = coo_array((weight[is_unknown], (number[is_unknown], np.searchsorted(unknown, site[is_unknown]))), shape)
    outer = coo_array((weight[~is_unknown], (number[~is_unknown], known_column)), (len(rows), len(neighbours)))
    return inner.tocsr(), outer.tocsr(), neighbours
