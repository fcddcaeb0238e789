"""Blending predictions: weights, none negative and 1 in all, with the smallest error at held-out entries."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import nnls

from ..tensor import Array

_WORTH_IT = 0.997  # error of a blend, relative to the best single one, above which the single one is taken
_LEAST_WEIGHT = 0.05  # what weighs less is left out
_FIRM = 1e3  # how much harder the sum of the weights is kept than the data is met


def root_mean_square(values: Array) -> float:
    """The root of the mean of the squares."""
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))


def blend_weights(predictions: Mapping[str, Array], truth: Array) -> dict[str, float]:
    """Weights by name, the largest first: one name alone unless several together are clearly better."""
    errors = {name: root_mean_square(found - truth) for name, found in predictions.items()}
    names = [name for name in predictions if np.isfinite(errors[name])]
    best = min(names, key=lambda name: errors[name])
    while len(names) > 1:
        weights = _on_simplex(np.stack([predictions[name] for name in names], axis=1), truth)
        kept = [name for name, weight in zip(names, weights, strict=True) if weight >= _LEAST_WEIGHT]
        if len(kept) == len(names):
            mixed = sum(weight * predictions[name] for name, weight in zip(names, weights, strict=True))
            if root_mean_square(mixed - truth) > _WORTH_IT * errors[best]:
                break
            ordered = sorted(zip(names, weights, strict=True), key=lambda pair: -pair[1])
            return {name: float(weight) for name, weight in ordered}
        names = kept
    return {best: 1.0}


def _on_simplex(columns: Array, truth: Array) -> Array:
    """argmin ‖columns · w − truth‖ over w ≥ 0 with sum 1."""
    # With such a sum, columns · w − truth is a weighted mean of the errors.
    misses = columns - truth[:, None]
    firm = _FIRM * max(float(np.linalg.norm(misses)), np.finfo(float).tiny)
    weights = nnls(np.vstack([misses, np.full((1, misses.shape[1]), firm)]), np.append(np.zeros(len(truth)), firm))[0]
    return np.asarray(weights / weights.sum())
