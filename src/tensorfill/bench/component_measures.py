"""Component measures: how much of W each component carries, and how much of the scene can be seen in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor import Array


def component_measures(components: Sequence[Array], truth: Array) -> tuple[tuple[float, float], ...]:
    """(share, likeness) of each component W^(k).

    The share is <W^(k), W>/‖W‖²; all add up to 1. The likeness is the correlation with the truth of what a slice of the
    first two modes has beyond stripes: its means over rows and over columns are taken out first, for a bright sky above
    a dark road is in every component, and only the scene itself tells them apart.

    >>> scene = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> stripes = np.array([[1.0, 1.0], [0.0, 0.0]])
    >>> component_measures([scene, stripes], 5 * scene + stripes)
    ((0.5, 1.0), (0.5, 0.0))
    """
    total = np.sum(components, axis=0)
    size = float(np.vdot(total, total))
    return tuple(
        (float(np.vdot(part, total)) / size if size > 0 else 0.0, _likeness(part, truth)) for part in components
    )


def _likeness(one: Array, other: Array) -> float:
    """0 where one of them has nothing but stripes."""
    a, b = _without_stripes(one), _without_stripes(other)
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.vdot(a, b)) / size if size > 0 else 0.0


def _without_stripes(tensor: Array) -> Array:
    means = tensor.mean(axis=0, keepdims=True) + tensor.mean(axis=1, keepdims=True)
    return np.asarray(tensor - means + tensor.mean(axis=(0, 1), keepdims=True))
