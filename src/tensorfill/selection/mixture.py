"""How sure to be of a blend of which nobody knows the errors: its methods are taken for a mixture.

If each of them may be the one that is right, with probability p_i, the mean square error of their weighted mean w is
Σ p_i (s_i² + (w − w_i)²): what each gives itself, s_i, and how far it is from what is returned. Methods that do not say
how sure they are count by what they move w.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from ..completion import Completion, Estimate
from ..tensor import Array

Share = tuple[float, Estimate, Callable[[], Array]]
"""A weight, an estimate, and what computes its deviations."""


def mixture_deviations(
    weights: Mapping[str, float], parts: Mapping[str, Completion], blend: Estimate, floor: float
) -> Callable[[], Array] | None:
    """Computes the deviations of a blend; None if none of its methods says how sure it is. It can be pickled."""
    shares: list[Share] = []
    for name, weight in weights.items():
        deviations = parts[name].deviations
        if deviations is not None:
            shares.append((weight, parts[name].estimate, deviations))
    return partial(_deviations, shares, blend, floor) if shares else None


def _deviations(shares: Sequence[Share], blend: Estimate, floor: float) -> Array:
    entries = np.maximum(blend.dense(), floor)
    squares = np.zeros_like(entries)
    for weight, estimate, deviations in shares:
        squares += weight * (deviations() ** 2 + (entries - np.maximum(estimate.dense(), floor)) ** 2)
    return np.asarray(np.sqrt(squares / sum(weight for weight, _, _ in shares)))
