"""Blending predictions: weights, none negative and 1 in all, with the smallest error at held-out entries."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from ..tensor import Array
from .judge import hole_standard_errors, standard_errors, typical_error

_WORTH_IT = 0.997  # error of a blend, relative to the best single one, above which the single one is taken
_LEAST_WEIGHT = 0.05  # what weighs less is left out
_FAR = 1.3  # times the best error: what is further off enters a blend that is judged by few holes only by chance
_FEW_ENTRIES, _FEW_HOLES = 30, 4  # with fewer held out, weights would be fitted to chance
_DOUBT = 1.0  # over the root of how many pieces there are: by so much others must be better than the favourite
_MANY_ENTRIES = 500  # scattered ones, of which squared errors have a standard error that can be trusted
_CLEARLY = -1.5  # standard errors by which those of a blend must be smaller then than the favourite's
_RATHER = -0.5  # the same over holes: of those there are few, and a blend is seldom far worse than the favourite
_FIRM = 1e3  # how much harder the sum of the weights is kept than the data is met
_ROUNDS = 20  # of weighing holes anew


def blend_weights(
    predictions: Mapping[str, Array],
    truth: Array,
    holes: NDArray[np.intp] | None = None,
    *,
    pieces: int | None = None,
    favourite: str | None = None,
) -> dict[str, float]:
    """Weights by name, the largest first: one name alone unless several together are clearly better.

    `holes` says in which hole an entry lies (default: entries are scattered, and all count alike), `pieces` how many
    independent things were held out (default: entries, or holes). If there is very little to judge by, methods are
    averaged over, for the best one may be so by chance. What is not clearly better than the favourite, given how many
    pieces there are to judge by, does not take its place.
    """
    where = np.zeros(len(truth), dtype=np.intp) if holes is None else np.unique(holes, return_inverse=True)[1]
    misses = {name: found - truth for name, found in predictions.items()}
    errors = {name: typical_error(missed, where) for name, missed in misses.items()}
    names = [name for name in predictions if np.isfinite(errors[name])]
    if pieces is None:
        pieces = len(truth) if holes is None else int(where.max()) + 1
    few = pieces < (_FEW_ENTRIES if holes is None else _FEW_HOLES)
    if favourite in names and (few or holes is None):
        errors[favourite] /= 1 + _DOUBT / np.sqrt(pieces)
    best = min(names, key=lambda name: errors[name])
    if not errors[best] > 0:  # nothing can be better than exact
        return {best: 1.0}
    if few or holes is not None:
        names = [name for name in names if errors[name] <= _FAR * errors[best]]
    if few:
        return _by_likelihood({name: errors[name] for name in names}, pieces)
    found = _best_blend(misses, names, where, errors[best]) or {best: 1.0}
    if favourite is None or favourite not in misses or not np.isfinite(errors[favourite]):
        return found
    if holes is not None:
        better = hole_standard_errors(_mix(found, misses), misses[favourite], where) < _RATHER
    else:
        better = pieces < _MANY_ENTRIES or standard_errors(_mix(found, misses), misses[favourite]) < _CLEARLY
    return found if better else {favourite: 1.0}


def _best_blend(
    misses: Mapping[str, Array], names: list[str], where: NDArray[np.intp], best: float
) -> dict[str, float] | None:
    """Several of these methods with their weights, if their error is smaller than the best of each by itself."""
    while len(names) > 1:
        weights = dict(zip(names, _on_simplex([misses[name] for name in names], where), strict=True))
        kept = [name for name, weight in weights.items() if weight >= _LEAST_WEIGHT]
        if len(kept) == len(names):
            if typical_error(_mix(weights, misses), where) > _WORTH_IT * best:
                return None
            return {name: float(weights[name]) for name in sorted(names, key=lambda name: -weights[name])}
        names = kept
    return None


def _mix(weights: Mapping[str, float], misses: Mapping[str, Array]) -> Array:
    return np.asarray(sum(weight * misses[name] for name, weight in weights.items()))


def _by_likelihood(errors: Mapping[str, float], pieces: int) -> dict[str, float]:
    """Weights in proportion to how likely each method makes what was held out, if its errors are normal.

    That is 1/error to the power of how many independent things were held out: nearly the same for all if one was, and
    all for the best if there were many. What one method gets wrong by chance, the others put right.
    """
    logarithms = {name: -pieces * np.log(error) for name, error in errors.items()}
    largest = max(logarithms.values())
    weights = {name: float(np.exp(value - largest)) for name, value in logarithms.items()}
    kept = {name: weight for name, weight in weights.items() if weight >= _LEAST_WEIGHT * sum(weights.values())}
    total = sum(kept.values())
    return {name: weight / total for name, weight in sorted(kept.items(), key=lambda pair: -pair[1])}


def _on_simplex(misses: list[Array], holes: NDArray[np.intp]) -> Array:
    """The w ≥ 0 with sum 1 for which the typical error of the misses' weighted mean is smallest."""
    # Σ √n ‖e‖ over holes, by least squares in which a hole counts √n/‖e‖ with the e of the round before.
    products: Array = np.moveaxis(np.array([[np.bincount(holes, a * b) for a in misses] for b in misses]), -1, 0)
    counts = np.bincount(holes)
    least = np.finfo(float).eps * max(float(np.trace(products.sum(axis=0))), np.finfo(float).tiny)
    weights: Array = np.full(len(misses), 1 / len(misses))
    for _ in range(_ROUNDS if len(counts) > 1 else 1):
        sizes = np.sqrt(np.maximum(np.einsum("hij,i,j->h", products, weights, weights), least))
        weights = _quadratic(np.tensordot(np.sqrt(counts) / sizes, products, 1))
    return weights


def _quadratic(products: Array) -> Array:
    """argmin wᵀ products w over w ≥ 0 with sum 1."""
    values, vectors = np.linalg.eigh(products)
    root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    firm = _FIRM * max(float(np.linalg.norm(root)), np.finfo(float).tiny)
    ones: Array = np.full((1, len(products)), firm)
    weights = nnls(np.vstack([root, ones]), np.append(np.zeros(len(products)), firm))[0]
    return np.asarray(weights / weights.sum())
