"""Component measures: how much of W each component carries, and how much of the truth can be seen in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor import Array


def component_measures(components: Sequence[Array], truth: Array) -> tuple[tuple[float, float], ...]:
    """(share, likeness) of each component: <W^(k), W>/‖W‖², which add up to 1, and its correlation with the truth.

    >>> component_measures([np.array([3.0, 0.0]), np.array([0.0, 4.0])], np.array([1.0, 0.0]))
    ((0.36, 1.0), (0.64, -1.0))
    """
    total = np.sum(components, axis=0)
    size = float(np.vdot(total, total))
    return tuple(
        (float(np.vdot(part, total)) / size if size > 0 else 0.0, _correlation(part, truth)) for part in components
    )


def _correlation(one: Array, other: Array) -> float:
    """Pearson's; 0 where one of them is constant."""
    a, b = one - one.mean(), other - other.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.vdot(a, b)) / size if size > 0 else 0.0
