"""Compiled loops over the fibres of a sampled Tucker tensor."""

import numpy as np

from ..compiling import compiled


@compiled(nogil=True, fastmath=True)
def fill_values(starts, row, node, last, T, second, factor, out):  # type: ignore[no-untyped-def]
    """out = Σ_ab second[row, a] T[node, a, b] factor[last, b] for every entry of the fibres."""
    rows, columns = T.shape[1], T.shape[2]
    along = np.empty(columns)
    for f in range(len(row)):
        along[:] = 0.0
        for a in range(rows):
            weight = second[row[f], a]
            for b in range(columns):
                along[b] += weight * T[node[f], a, b]
        for e in range(starts[f], starts[f + 1]):
            total = 0.0
            for b in range(columns):
                total += along[b] * factor[last[e], b]
            out[e] = total


@compiled(nogil=True, fastmath=True)
def add_gradient(starts, row, node, last, T, second, factor, residual, into_second, into_factor, into_T):  # type: ignore[no-untyped-def]
    """Add the derivatives of Σ residual · value with respect to `second`, `factor` and T."""
    rows, columns = T.shape[1], T.shape[2]
    along = np.empty(columns)
    pull = np.empty(columns)
    for f in range(len(row)):
        along[:] = 0.0
        for a in range(rows):
            weight = second[row[f], a]
            for b in range(columns):
                along[b] += weight * T[node[f], a, b]
        pull[:] = 0.0
        for e in range(starts[f], starts[f + 1]):
            r, k = residual[e], last[e]
            for b in range(columns):
                pull[b] += r * factor[k, b]
                into_factor[k, b] += r * along[b]
        for a in range(rows):
            weight = second[row[f], a]
            total = 0.0
            for b in range(columns):
                total += T[node[f], a, b] * pull[b]
                into_T[node[f], a, b] += weight * pull[b]
            into_second[row[f], a] += total
