"""Compiled loops over the entries of a support, for the inner solver."""

from numba import njit


@njit(nogil=True, cache=True)
def look_without_S(X, W, values, C, downhill):  # type: ignore[no-untyped-def]
    """The same as `look` where all entries are observed and W may be negative."""
    q = 0.0
    for i in range(len(X)):
        downhill[i] = values[i] - X[i] / (2 * C) - W[i]
        q += X[i] * (X[i] / (4 * C) - values[i] + 0.5 * W[i])
    return q


@njit(nogil=True, cache=True)
def look(X, W, T, values, observed, enforced, C, epsilon, S, downhill, D):  # type: ignore[no-untyped-def]
    """Fill S, −∇q and φ'' at X with W = K X, and return q(X); all as active_set.py defines them."""
    fit, misses, energy = 0.0, 0.0, 0.0
    for i in range(len(X)):
        s, curvature = X[i], epsilon
        if observed[i]:
            s, curvature = 0.0, 1 / (2 * C)
            beyond = X[i] - 2 * C * (values[i] - epsilon * T[i])
            if enforced[i] and beyond > 0.0:
                s, curvature = beyond / (1 + 2 * C * epsilon), 1 / (2 * C + 1 / epsilon)
            z = X[i] - s
            downhill[i] = values[i] - z / (2 * C) - W[i]
            fit += z * (z / (4 * C) - values[i])
        else:
            downhill[i] = epsilon * (T[i] - s) - W[i]
        S[i] = s
        D[i] = curvature
        misses += (s - T[i]) ** 2
        energy += X[i] * W[i]
    return 0.5 * energy + fit + 0.5 * epsilon * misses
