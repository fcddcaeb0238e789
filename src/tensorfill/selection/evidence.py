"""What methods predicted at held-out entries: their errors, and the weights that follow, for each kind of hole.

The weights are those of a blend, none negative and 1 in all, with the smallest error at held-out entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from ..tensor import Array
from .judge import Judge, hole_standard_errors, standard_errors, typical_error


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """When a blend is taken, and when somebody else than the favourite."""

    worth_it: float = 0.997  # error of a blend, relative to the best single one, above which the single one is taken
    least_weight: float = 0.05  # what weighs less is left out
    far: float = 1.3  # times the best error: what is further off enters a blend judged by few holes only by chance
    few_entries: int = 30  # with fewer held out, weights would be fitted to chance
    few_holes: int = 4  # the same
    doubt: float = 1.0  # over the root of how many pieces there are, if few: so much others must be better by
    many_entries: int = 500  # scattered ones, of which squared errors have a standard error that can be trusted
    clearly: float = -1.5  # standard errors by which those of a blend must be smaller then than the favourite's
    rather: float = -0.5  # the same over holes: there are few, and a blend is seldom far worse than the favourite
    worth_changing: float = 0.99  # error over holes, relative to the favourite's, above which nothing is to be won
    firm: float = 1e3  # how much harder the sum of the weights is kept than the data is met
    rounds: int = 20  # of weighing holes anew

    # Where luck decides: held-out ones to tell methods apart by, where trying again costs little
    enough_entries: int = 200
    enough_holes: int = 8
    enough_slices: int = 4

    # Which entries count
    most_important: float = 10.0  # times as much as an entry of the usual sort, that one may count
    of_all: float = 0.5  # of the largest held-out value, and
    nobody: float = 30.0  # times the error that
    usual: float = 0.9  # of the entries stay below, of whoever is nearest: who is further off is no reason


WEIGHING = Weighing()


@dataclass(frozen=True, eq=False)
class HeldOutEvidence:
    """Predictions by name next to the truth."""

    judge: Judge
    truth: Array
    predictions: Mapping[str, Array]
    positions: NDArray[np.int64] | None = None
    """Where the held-out entries are; default: each somewhere else."""
    strata: NDArray[np.intp] | None = None
    """How each was to be predicted, as a number (default: all alike), and"""
    missing_shares: Array | None = None
    """which share of what is missing is to be predicted in each of these ways."""
    settings: Weighing = WEIGHING

    def joined(self, other: HeldOutEvidence) -> HeldOutEvidence:
        """That of both, for methods that were asked both times."""
        both = {
            name: np.append(found, other.predictions[name])
            for name, found in self.predictions.items()
            if name in other.predictions
        }
        return replace(
            self,
            judge=self.judge.joined(other.judge),
            truth=np.append(self.truth, other.truth),
            predictions=both,
            positions=_append(self.positions, other.positions),
            strata=_append(self.strata, other.strata),
        )

    def of(self, names: Sequence[str]) -> HeldOutEvidence:
        """That of some methods, as far as they were asked."""
        return replace(self, predictions={name: self.predictions[name] for name in names if name in self.predictions})

    def errors(self) -> dict[str, float]:
        """How far methods are off."""
        return {name: self.error(found) for name, found in self.predictions.items()}

    def error(self, prediction: Array) -> float:
        """How far a prediction is off."""
        return self.judge.error(self._roots() * (prediction - self.truth))

    def mean_square(self, prediction: Array, scale: float) -> float:
        """Of its errors, in these units."""
        return float(np.mean((self._roots() * (prediction - self.truth) / scale) ** 2))

    def weights(self, favourite: str | None = None) -> dict[str, float]:
        """Those with the smallest error, but for entries that are judged apart."""
        rest = ~self.judge.apart
        return self._weights_where(
            rest if rest.any() else self.judge.apart, structured=self.judge.structured, favourite=favourite
        )

    def apart_weights(self, favourite: str | None = None) -> dict[str, float] | None:
        """The same for those, such as lost slices, if some were held out."""
        if not self.judge.apart.any():
            return None
        return self._weights_where(self.judge.apart, structured=True, favourite=favourite)

    def mixed(self, weights: Mapping[str, float], apart_weights: Mapping[str, float] | None) -> Array:
        """What a blend with these weights would have predicted."""
        rest = _sum(weights, self.predictions)
        if apart_weights is None:
            return rest
        return np.where(self.judge.apart, _sum(apart_weights, self.predictions), rest)

    def is_little(self) -> bool:
        """Whether luck decides."""
        rest = ~self.judge.apart
        scattered = not self.judge.structured and self._pieces(rest, structured=False) < self.settings.enough_entries
        few_holes = self.judge.structured and self._pieces(rest, structured=True) < self.settings.enough_holes
        return scattered or few_holes or self.is_little_apart()

    def is_little_apart(self) -> bool:
        """Whether luck decides about entries that are judged apart."""
        return (
            bool(self.judge.apart.any())
            and self._pieces(self.judge.apart, structured=True) < self.settings.enough_slices
        )

    def _pieces(self, where: NDArray[np.bool_], *, structured: bool) -> int:
        """How many independent things were held out; one that was so several times is still one."""
        if structured:
            return len(np.unique(self.judge.holes[where]))
        return int(where.sum()) if self.positions is None else len(np.unique(self.positions[where]))

    def _weights_where(self, where: NDArray[np.bool_], *, structured: bool, favourite: str | None) -> dict[str, float]:
        where = where & ~self._hopeless(where)
        roots = self._roots()[where]
        return blend_weights(
            {name: roots * found[where] for name, found in self.predictions.items()},
            roots * self.truth[where],
            self.judge.holes[where] if structured else None,
            pieces=self._pieces(where, structured=structured),
            favourite=favourite,
            settings=self.settings,
        )

    def _roots(self) -> Array:
        """The root of how much each entry counts, so that what was held out counts as much as there is like it."""
        if self.strata is None or self.missing_shares is None:
            return np.ones(len(self.truth))
        rest = ~self.judge.apart
        held = np.bincount(self.strata[rest], minlength=len(self.missing_shares)) / max(1, int(rest.sum()))
        counts = np.divide(self.missing_shares, held, out=np.zeros_like(held), where=held > 0)
        importance = np.where(rest, np.minimum(counts, self.settings.most_important)[self.strata], 1.0)
        mean = importance[rest].mean() if rest.any() else 1.0
        importance[rest] = importance[rest] / mean if mean > 0 else 1.0
        return np.sqrt(importance)

    def _hopeless(self, where: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Single entries that nobody comes near to, such as an outlier: they are no reason to choose anybody."""
        nearest = np.min([np.abs(found - self.truth) for found in self.predictions.values()], axis=0)
        far = max(
            self.settings.nobody * float(np.quantile(nearest[where], self.settings.usual)),
            self.settings.of_all * float(self.truth.max()),
        )
        return np.asarray(nearest > far)


def blend_weights(
    predictions: Mapping[str, Array],
    truth: Array,
    holes: NDArray[np.intp] | None = None,
    *,
    pieces: int | None = None,
    favourite: str | None = None,
    settings: Weighing = WEIGHING,
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
    few = pieces < (settings.few_entries if holes is None else settings.few_holes)
    # Of a few holes, differences by chance are as large as those that there are, and as alike.
    doubtful = few or holes is None or pieces < settings.enough_holes
    if favourite in names and doubtful:
        errors[favourite] /= 1 + settings.doubt / np.sqrt(pieces)
    best = min(names, key=lambda name: errors[name])
    if not errors[best] > 0:  # nothing can be better than exact
        return {best: 1.0}
    if few or holes is not None:
        names = [name for name in names if errors[name] <= settings.far * errors[best]]
    if few:
        return _by_likelihood({name: errors[name] for name in names}, pieces, settings)
    found = _best_blend(misses, names, where, errors[best], settings) or {best: 1.0}
    if favourite is None or favourite not in misses or not np.isfinite(errors[favourite]):
        return found
    if holes is not None:
        blended = _sum(found, misses)
        less = typical_error(blended, where) <= settings.worth_changing * typical_error(misses[favourite], where)
        better = doubtful or (less and hole_standard_errors(blended, misses[favourite], where) < settings.rather)
    else:
        better = (
            pieces < settings.many_entries or standard_errors(_sum(found, misses), misses[favourite]) < settings.clearly
        )
    return found if better else {favourite: 1.0}


def _best_blend(
    misses: Mapping[str, Array], names: list[str], where: NDArray[np.intp], best: float, settings: Weighing
) -> dict[str, float] | None:
    """Several of these methods with their weights, if their error is smaller than the best of each by itself."""
    while len(names) > 1:
        weights = dict(zip(names, _on_simplex([misses[name] for name in names], where, settings), strict=True))
        kept = [name for name, weight in weights.items() if weight >= settings.least_weight]
        if len(kept) == len(names):
            if typical_error(_sum(weights, misses), where) > settings.worth_it * best:
                return None
            return {name: float(weights[name]) for name in sorted(names, key=lambda name: -weights[name])}
        names = kept
    return None


def _by_likelihood(errors: Mapping[str, float], pieces: int, settings: Weighing) -> dict[str, float]:
    """Weights in proportion to how likely each method makes what was held out, if its errors are normal.

    That is 1/error to the power of how many independent things were held out: nearly the same for all if one was, and
    all for the best if there were many. What one method gets wrong by chance, the others put right.
    """
    logarithms = {name: -pieces * np.log(error) for name, error in errors.items()}
    largest = max(logarithms.values())
    weights = {name: float(np.exp(value - largest)) for name, value in logarithms.items()}
    kept = {name: weight for name, weight in weights.items() if weight >= settings.least_weight * sum(weights.values())}
    total = sum(kept.values())
    return {name: weight / total for name, weight in sorted(kept.items(), key=lambda pair: -pair[1])}


def _on_simplex(misses: list[Array], holes: NDArray[np.intp], settings: Weighing) -> Array:
    """The w ≥ 0 with sum 1 for which the typical error of the misses' weighted mean is smallest."""
    # Σ √n ‖e‖ over holes, by least squares in which a hole counts √n/‖e‖ with the e of the round before.
    products: Array = np.moveaxis(np.array([[np.bincount(holes, a * b) for a in misses] for b in misses]), -1, 0)
    counts = np.bincount(holes)
    least = np.finfo(float).eps * max(float(np.trace(products.sum(axis=0))), np.finfo(float).tiny)
    weights: Array = np.full(len(misses), 1 / len(misses))
    for _ in range(settings.rounds if len(counts) > 1 else 1):
        sizes = np.sqrt(np.maximum(np.einsum("hij,i,j->h", products, weights, weights), least))
        weights = _quadratic(np.tensordot(np.sqrt(counts) / sizes, products, 1), settings.firm)
    return weights


def _quadratic(products: Array, firm: float) -> Array:
    """argmin wᵀ products w over w ≥ 0 with sum 1."""
    values, vectors = np.linalg.eigh(products)
    root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    firm *= max(float(np.linalg.norm(root)), np.finfo(float).tiny)
    ones: Array = np.full((1, len(products)), firm)
    weights = nnls(np.vstack([root, ones]), np.append(np.zeros(len(products)), firm))[0]
    return np.asarray(weights / weights.sum())


def _sum(weights: Mapping[str, float], predictions: Mapping[str, Array]) -> Array:
    return np.asarray(sum(weight * predictions[name] for name, weight in weights.items()))


def _append(one: NDArray[Any] | None, other: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if one is None or other is None else np.append(one, other)
