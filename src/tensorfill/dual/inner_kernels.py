"""Compiled loops over the entries of a support, for the inner solver; the formulas are those of active_set.py.

S and φ'' follow from X and T, entry by entry. They are worked out where they are needed and not kept: on a large
support every vector counts.
"""

from ..compiling import compiled


@compiled(nogil=True)
def look_without_S(X, W, values, C, downhill):  # type: ignore[no-untyped-def]
    """The same as `look` where all entries are observed and W may be negative."""
    q = 0.0
    for i in range(len(X)):
        downhill[i] = values[i] - X[i] / (2 * C) - W[i]
        q += X[i] * (X[i] / (4 * C) - values[i] + 0.5 * W[i])
    return q


@compiled(nogil=True)
def multiplier(x, t, value, observed, enforced, C, epsilon):  # type: ignore[no-untyped-def]
    """S at one entry."""
    if not observed:
        return x
    beyond = x - 2 * C * (value - epsilon * t)
    return beyond / (1 + 2 * C * epsilon) if enforced and beyond > 0.0 else 0.0


@compiled(nogil=True)
def curvature(s, observed, C, epsilon):  # type: ignore[no-untyped-def]
    """φ'' at one entry with multiplier s."""
    if not observed:
        return epsilon
    return 1 / (2 * C + 1 / epsilon) if s > 0.0 else 1 / (2 * C)


@compiled(nogil=True)
def look(X, W, T, values, observed, enforced, C, epsilon, downhill):  # type: ignore[no-untyped-def]
    """Fill −∇q at X with W = K X, and return q(X)."""
    fit, misses, energy = 0.0, 0.0, 0.0
    for i in range(len(X)):
        s = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        if observed[i]:
            z = X[i] - s
            downhill[i] = values[i] - z / (2 * C) - W[i]
            fit += z * (z / (4 * C) - values[i])
        else:
            downhill[i] = epsilon * (T[i] - s) - W[i]
        misses += (s - T[i]) ** 2
        energy += X[i] * W[i]
    return 0.5 * energy + fit + 0.5 * epsilon * misses


@compiled(nogil=True)
def fill_multipliers(X, T, values, observed, enforced, C, epsilon, S):  # type: ignore[no-untyped-def]
    """Fill S, and return ‖S − T‖²."""
    misses = 0.0
    for i in range(len(X)):
        S[i] = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        misses += (S[i] - T[i]) ** 2
    return misses


@compiled(nogil=True)
def fill_curvatures(X, T, values, observed, enforced, C, epsilon, D):  # type: ignore[no-untyped-def]
    """Fill φ''."""
    for i in range(len(X)):
        s = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        D[i] = curvature(s, observed[i], C, epsilon)


@compiled(nogil=True)
def left_over(old_X, old_W, old_downhill, X, W, downhill, T, free, step, values, observed, enforced, C, epsilon):  # type: ignore[no-untyped-def]
    """How much q can still fall after a step, for three reasons; see `ActiveSet._left_over`.

    The model's value at the point taken above its minimum; ‖what the new pieces add to −∇q‖² at free entries that
    changed theirs; ‖−∇q‖² at entries that were not free and now want to grow.
    """
    cut_off, surprises, joining = 0.0, 0.0, 0.0
    for i in range(len(X)):
        if not free[i]:
            if downhill[i] > 0.0:
                joining += downhill[i] ** 2
            continue
        before = multiplier(old_X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        after = multiplier(X[i], T[i], values[i], observed[i], enforced[i], C, epsilon)
        bend = curvature(before, observed[i], C, epsilon)
        taken = X[i] - old_X[i]
        bent = bend * taken + (W[i] - old_W[i])
        cut_off += 0.5 * taken * bent - old_downhill[i] * taken + 0.5 * old_downhill[i] * step[i]
        if curvature(after, observed[i], C, epsilon) != bend:
            surprises += (downhill[i] - (old_downhill[i] - bent)) ** 2
    return cut_off, surprises, joining
