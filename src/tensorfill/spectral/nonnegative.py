"""The most likely tensor that is nowhere negative: multipliers at the entries that would be.

Minimises ‖(y − v)_Ω‖² + Σ (σ²/s) c² over v = Q c ≥ −μ by the proximal method of multipliers, as for the paper's
problem. An entry whose multiplier S may be positive is treated as if it were known to be S − μ; then
S ← max(0, S − W). Where the entry is known anyway, S is added to what is known. When nothing changes any more,
W ≥ 0, S ≥ 0 and S ∘ W = 0.

Where an entry is nearly determined by its neighbours, S takes many updates. What is still below zero after some of
them is lifted: conjugate gradients minimise ½ ‖min(W, 0)‖², in the metric in which the objective is nearly round, so
that it grows little. Each step has the best length along its direction, so that W never gets further below zero. If
the objective grows too much all the same, what is left is clipped by whoever takes the entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..completion import Certificate
from ..memory import return_freed_memory
from ..numerics.vectors import dot, in_pieces
from .bases import Numbers
from .data import KnownData
from .prior import Prior
from .scattered_solver import Solver, divided_square, weighted_square


@dataclass(frozen=True, kw_only=True)
class ConstraintSettings:
    """What steers the solver for W ≥ 0; tolerances are relative to those of the solver for the means."""

    tolerance: float = 3e-4
    structured_tolerance: float = 3e-5
    most_updates: int = 6  # of the multipliers; later ones change little, and what is left is lifted
    most_steps: int | None = None  # of each solve in between; None: as many as for a mean
    most_lifts: int = 100
    sharper: float = 1e-5  # times the tolerance, for the last solve: the lower bound divides its residual by σ²/s
    sharper_steps: int = 60  # of it, at most …
    sharper_steps_if_large: int = 8  # … or so many for data of `large` entries, where each of them takes a while
    large: int = 2**18
    margin: float = 0.5  # of what may be left: how far above it lifting aims, to get there in finitely many steps
    lengths: int = 20  # Newton steps for the length of one of lifting
    alike: float = 1e-3  # relative change of a length that ends them
    costly: float = 2.0  # times the objective before: a lift that leaves more is taken back


CONSTRAINT = ConstraintSettings()
QUICK_CONSTRAINT = ConstraintSettings(most_updates=2, most_steps=12, sharper_steps_if_large=4, most_lifts=10)
"""Where W ≥ 0 is hardly noticed: enough for a certificate, and what is left is clipped."""


@compiled(nogil=True, fastmath=True)
def below_along(x, d, length, order):  # type: ignore[no-untyped-def]
    """The first or second derivative of ½ Σ min(x + t d, 0)² by t, at t = length."""
    total = 0.0
    for i in range(len(x)):
        there = np.float64(x[i]) + length * d[i]
        if there < 0:
            total += np.float64(d[i]) * (there if order == 1 else d[i])
    return total


@dataclass(frozen=True, eq=False)
class Constrained:
    """Coefficients of the solution, its multipliers, and how far below zero it still is."""

    coefficients: Numbers
    multipliers: Numbers
    """σ²S, at all entries."""
    misfit: Numbers
    """σ²Z, at known entries: y − v as the multipliers left it, before anything was lifted."""
    smallest: float
    active: int
    steps: int


def solve_nonnegative(
    prior: Prior,
    data: KnownData,
    mean: float,
    start: Numbers,
    solver: Solver,
    *,
    negativity: float,
    tolerance: float,
    most_steps: int,
    settings: ConstraintSettings = CONSTRAINT,
) -> Constrained:
    """From coefficients near the unconstrained solution, until no entry is below −`negativity`."""
    ratio = prior.ratio(start.dtype)
    mu = start.dtype.type(mean)
    most_steps = most_steps if settings.most_steps is None else min(most_steps, settings.most_steps)
    multipliers: Numbers = np.zeros(data.shape, start.dtype)
    coefficients, steps, energy = start.copy(), 0, _objective(prior, data, start, ratio)
    for number in range(settings.most_updates):
        entries = prior.transform.to_entries(coefficients)
        entries += mu
        if float(entries.min()) >= -negativity and float(np.minimum(entries, multipliers).max()) <= negativity:
            break
        pushed = entries < 0
        if number > 0:
            multipliers -= entries
            np.maximum(multipliers, 0, out=multipliers)
            pushed |= multipliers > 0
        del entries
        known = data.mask | pushed
        # No name for the targets, so that the solver can let go of them: arrays are large.
        found = solver.with_known(known).solve(
            _targets(data, mu, multipliers, known), ratio, coefficients, tolerance, most_steps, energy
        )
        coefficients = found.coefficients
        steps += found.steps
    # What is left of the residual is divided by σ²/s in the lower bound, which is small where s is large. A few steps
    # more make it one that says something.
    known = data.mask | (multipliers > 0)
    sharper = settings.sharper_steps if data.mask.size < settings.large else settings.sharper_steps_if_large
    found = solver.with_known(known).solve(
        _targets(data, mu, multipliers, known), ratio, coefficients, settings.sharper * tolerance, sharper, energy
    )
    coefficients = found.coefficients
    steps += found.steps
    entries = prior.transform.to_entries(coefficients)
    misfit = data.values - entries[data.mask]
    # Where nothing is known, the last solve was pushed by S − W, not by S.
    entries += mu
    entries[data.mask] = 0
    entries *= multipliers > 0
    multipliers -= entries
    del entries
    return_freed_memory()
    np.maximum(multipliers, 0, out=multipliers)
    coefficients, smallest = _lift(prior, data, coefficients, mu, negativity, settings)
    return Constrained(coefficients, multipliers, misfit, smallest, int(np.count_nonzero(multipliers)), steps)


def _targets(data: KnownData, mu: np.floating, multipliers: Numbers, known: NDArray[np.bool_]) -> Numbers:
    """What known entries, and those that are pushed, are taken to be."""
    targets: Numbers = multipliers - mu
    targets[data.mask] += data.values + mu
    targets *= known
    return targets


def _lift(
    prior: Prior,
    data: KnownData,
    coefficients: Numbers,
    mu: np.floating,
    negativity: float,
    settings: ConstraintSettings,
) -> tuple[Numbers, float]:
    """Coefficients for which no entry is below −`negativity`, and the smallest entry; those given, if that is dear."""
    transform = prior.transform
    entries = transform.to_entries(coefficients)
    entries += mu
    before = float(entries.min())
    if before >= -negativity:
        return coefficients, before
    ratio = prior.ratio(coefficients.dtype)
    dear = settings.costly * _objective(prior, data, coefficients, ratio)
    stiffness = ratio
    stiffness += ratio.dtype.type(data.share)
    aim = entries.dtype.type(settings.margin * negativity)
    entries -= aim
    lifted, turned, last = coefficients.copy(), np.zeros_like(coefficients), np.inf
    for _ in range(settings.most_lifts):
        slope = transform.to_coefficients(np.minimum(entries, 0), overwrite=True)
        steep = in_pieces(divided_square, slope, stiffness, numbers=(0.0,))
        turned *= turned.dtype.type(steep / last)
        turned -= np.divide(slope, stiffness, out=slope)
        del slope
        along = transform.to_entries(turned)
        length = along.dtype.type(_best_length(entries, along, settings))
        if not length > 0:
            break
        entries += np.multiply(along, length, out=along)
        del along
        lifted += turned * length
        last = steep
        if float(entries.min()) + float(aim) >= -negativity:
            break
    del entries, turned, stiffness
    entries = transform.to_entries(lifted)
    entries += mu
    smallest = float(entries.min())
    del entries
    ratio = prior.ratio(coefficients.dtype)
    if smallest < before or _objective(prior, data, lifted, ratio) > dear:
        return coefficients, before
    return lifted, smallest


def _best_length(entries: Numbers, along: Numbers, settings: ConstraintSettings) -> float:
    """The t at which ½ ‖min(entries + t along, 0)‖² is smallest; convex, and quadratic in pieces."""
    length = 0.0
    for _ in range(settings.lengths):
        curved = in_pieces(below_along, entries, along, numbers=(length, 2.0))
        if not curved > 0:
            break
        step = -in_pieces(below_along, entries, along, numbers=(length, 1.0)) / curved
        length += step
        if abs(step) <= settings.alike * abs(length):
            break
    return length


def _objective(prior: Prior, data: KnownData, coefficients: Numbers, ratio: Numbers) -> float:
    misfit = data.values - prior.transform.to_entries(coefficients)[data.mask]
    return in_pieces(dot, misfit, misfit) + in_pieces(weighted_square, coefficients, ratio)


def _feasible(prior: Prior, coefficients: Numbers, mean: float, lift: float) -> tuple[Numbers, Numbers]:
    """W − μ that is nowhere below −μ, at next to no cost, and its coefficients: all is a little higher."""
    entries = prior.transform.to_entries(coefficients)
    while lift > 0:
        # All is written over: arrays are large.
        entries.fill(lift)
        lifted = prior.transform.coefficients_of(entries)
        lifted += coefficients
        entries = prior.transform.to_entries(lifted)
        if float(entries.min()) >= -mean:
            return entries, lifted
        if lift > 1:  # of the largest value: the mean everywhere is feasible
            return np.zeros_like(entries), np.zeros_like(coefficients)
        lift *= 2  # a basis that leaves directions out has no exact constant
    return entries, coefficients


def certify(prior: Prior, data: KnownData, mean: float, found: Constrained) -> Certificate:
    """Bounds on the optimum of the convex problem that the prior, as learned, poses; residuals of its conditions.

    With 2C = 1/σ²: the objective is C‖(W − Y)_Ω‖² + ½ Σ c²/s. Any z on Ω and S ≥ 0 bound it from below.
    """
    return_freed_memory()
    lift = max(0.0, -found.smallest)
    entries, lifted = _feasible(prior, found.coefficients, mean, lift)
    missed = data.values - entries[data.mask]
    upper = in_pieces(dot, missed, missed)
    entries += entries.dtype.type(mean)
    slack = in_pieces(dot, np.abs(entries, out=entries), found.multipliers)
    del entries, missed
    ratio = prior.ratio(found.coefficients.dtype)
    upper += in_pieces(weighted_square, lifted, ratio)
    del lifted
    misfit = found.misfit
    x = data.filled(misfit)
    x += found.multipliers
    dual = prior.transform.to_coefficients(x, overwrite=True)
    del x
    # The bound at t·(z, S) is 2t·gain − t²·loss: take the best t.
    gain = in_pieces(dot, misfit, data.values) - mean * float(found.multipliers.sum(dtype=np.float64))
    loss = in_pieces(dot, misfit, misfit) + in_pieces(divided_square, dual, ratio, numbers=(0.0,))
    lower = gain**2 / loss if gain > 0 and loss > 0 else 0.0
    ratio *= found.coefficients
    dual -= ratio
    off = float(np.sqrt(in_pieces(dot, dual, dual)))
    size = float(np.linalg.norm(data.values.astype(np.float64) + mean))
    return Certificate(
        upper=upper / (2 * prior.noise),
        lower=lower / (2 * prior.noise),
        negativity=lift,
        complementarity=2 * slack / upper if upper > 0 else 0.0,
        stationarity=off / size if size > 0 else 0.0,
    )
