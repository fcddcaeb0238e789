"""SPC: a sum of many smooth rank-one tensors, as few as it takes to meet what is known.

minimise  ½ ‖Z_Ω − Y_Ω‖² + Σ_r ½ g_r² Σ_n ρ_n ‖L u_nr‖^p      over Z = Σ_r g_r u_1r ∘ … ∘ u_Kr with unit vectors u_nr

L takes differences of neighbours. p = 2 is the quadratic variant, p = 1 that of total variation. Components are added
until ‖Z_Ω − Y_Ω‖² ≤ 10^(−snr/10) ‖Y_Ω‖²; the result is Z with the known entries put back.

A step finds the vectors of one component, each the best one while everything else stays as it is. Unknown entries are
filled with the current fit, so that the data minus all other components is E + g_old u_old∘…: E is the residual, zero
where nothing is known. For mode n this times the other vectors is a vector c, and the objective is

    ½ g² (1 + Σ_{m≠n} ρ_m ‖L u_m‖^p + ρ_n ‖L a‖^p) − g aᵀc + …      over a = u_n with ‖a‖ = 1, and g ≥ 0

p = 2: with v = g a this is quadratic, and (1 + Σ_{m≠n} ρ_m ‖L u_m‖² + ρ_n LᵀL) v = c. p = 1: for a given g the best a
is the normalised minimum of ½ ‖v − c‖² + ½ g ρ_n ‖L v‖_1, and for this a there is a best g.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from numbers import Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from ..completion import StopReason
from ..estimates.estimate import OnePart, RefilledEstimate
from ..estimates.factored import KruskalTensor
from ..iterating import Solver
from ..method import Cost, Stroke, lost_slices_are_in
from ..numerics.sampled_rank_one import SampledRankOne, add_along_head, fill_scales
from ..numerics.smooth_vectors import absolute_differences, solve_quadratic, solve_total_variation, squared_differences
from ..observed import ObservedTensor
from ..tensor import Array, entries
from .baseline import Baseline, refuse_memory
from .setting_checks import Count, Positive, Tolerance, Weights, check_tolerance, is_list, is_number, wrong

_DEFAULTS: Mapping[str, Mapping[str, float]] = {
    "quadratic": {"smoothness": 1.0, "snr": 35.0},
    "total-variation": {"smoothness": 0.01, "snr": 25.0},
}
_UNORDERED = 4  # a mode with at most so many indices holds channels: its neighbours are no more alike than others
_AT_ONCE = 2**22  # values held at a time while the full tensor is built


def _check_smoothness(method: str, setting: str, value: Any) -> None:
    """One number, or one per mode, as far as it can be checked without a tensor."""
    if isinstance(value, Real):
        check_tolerance(method, setting, value)
    elif not is_list(value):
        raise wrong(method, setting, "be one number or one per mode", value)
    elif not all(is_number(part) and part >= 0 for part in value):
        raise wrong(method, setting, "consist of numbers, 0 or more", value)


@dataclass(frozen=True, kw_only=True)
class SPC(Baseline):
    """Smooth PARAFAC tensor completion, the method of Yokota, Zhao and Cichocki.

    The cost in the history is the objective, on data scaled to a largest value of 1. It never rises.

    Parameters
    ----------
    variant
        "quadratic" (squares of differences; better on nearly everything) or "total-variation" (absolute values).
    smoothness
        ρ_n, how much neighbours along each mode should be alike: one per mode, or one for all modes with more than 4
        indices, where smaller ones, such as the channels of a picture, get 0 (default: 1.0 for quadratic, 0.01 for
        total-variation).
    snr
        Stop when ‖Z_Ω − Y_Ω‖² ≤ 10^(−snr/10) ‖Y_Ω‖²: the ratio of signal to noise on the known entries, in decibels
        (default: 35.0 for quadratic, 25.0 for total-variation).
    updates
        How many components are improved in every iteration; those with the smallest weights.
    growth
        How many components are added after an iteration, at most.
    growth_tolerance
        Components are added when an iteration lowers the squared residual by less than this share of its distance from
        where `snr` stops.
    max_rank
        Most components.
    tolerance
        When there are max_rank components, stop when an iteration lowers the squared residual R by tolerance · R or
        less.
    max_iter
        Most iterations.
    """

    name: ClassVar[str] = "spc"
    summary: ClassVar[str] = "Sum of smooth rank-one tensors, added until the data is met; may go negative"
    stroke: ClassVar[Stroke] = Stroke("#b8860b", "1", size=6.5)
    reference: ClassVar[str] = "Yokota, Zhao & Cichocki, IEEE Transactions on Signal Processing 2016"
    needs_known_only: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(210, 4), Cost(210, 8)
    place_if_small: ClassVar[int | None] = 50

    variant: Literal["quadratic", "total-variation"] = "quadratic"
    smoothness: Annotated[Weights, _check_smoothness] = None
    snr: Positive | None = None
    updates: Count = 10
    growth: Count = 5
    growth_tolerance: Tolerance = 0.01
    max_rank: Count = 5000
    tolerance: Tolerance = 1e-4
    max_iter: Count = 1000

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        smoothness = self.resolve(observed)["smoothness"]
        return lost_slices_are_in([mode for mode, weight in enumerate(smoothness, start=1) if weight > 0], observed)

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """What the variant decides, and a smoothness per mode."""
        defaults, shape = _DEFAULTS[self.variant], observed.shape
        given: Any = defaults["smoothness"] if self.smoothness is None else self.smoothness
        if isinstance(given, Real):
            given = tuple(float(given) if size > _UNORDERED else 0.0 for size in shape)
        if len(given) != len(shape):
            raise wrong(self.name, "smoothness", f"have {len(shape)} entries, one per mode", self.smoothness)
        return {"smoothness": tuple(float(value) for value in given), "snr": float(self.snr or defaults["snr"])}

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for a smoothness that does not fit the tensor; refuses what may not fit into memory."""
        self.resolve(observed)
        return refuse_memory(
            8 * sum(observed.shape) * min(self.max_rank, 1 + self.growth * self.max_iter),
            f"{self.name} may need {{needed}} GiB for {self.max_rank} components of shape {observed.shape} "
            "and this machine has {there}; a smaller max_rank needs less.",
        )

    def solver(self, data: ObservedTensor, settings: dict[str, Any], rng: np.random.Generator) -> SPCSolver:
        return SPCSolver(data, settings, rng)


@dataclass(frozen=True, eq=False)
class Component:
    """A rank-one tensor: its weight g, and the unit vectors of all modes one behind the other."""

    weight: float
    vectors: Array
    rough: Array
    """ρ_n ‖L u_n‖^p, one number per mode."""


class SPCSolver(Solver):
    """Improves the faintest components one by one, and adds new ones when that gains little."""

    def __init__(self, data: ObservedTensor, settings: Mapping[str, Any], rng: np.random.Generator) -> None:
        self.data, self._settings, self._rng = data, settings, rng
        self._quadratic = settings["variant"] == "quadratic"
        self._sampled = SampledRankOne(data.shape, data.positions)
        self._smoothness = np.array(settings["smoothness"])
        self.residual = data.values[self._sampled.order]
        """What the components leave of the known entries, in the order of `SampledRankOne`."""
        self.misfit = float(self.residual @ self.residual)
        self.aim = 10 ** (-settings["snr"] / 10) * self.misfit
        self._gain = np.inf  # by how much the last step lowered the misfit
        self._penalty = 0.0  # Σ_r g_r² Σ_n ρ_n ‖L u_nr‖^p
        self.cost = 0.5 * self.misfit
        self.parts: list[Component] = []
        self.grow(1)

    def step(self) -> None:
        """Add components if the last step gained little, then improve those with the smallest weights."""
        self.grow(self._count_wanted())
        before = self.misfit
        weights = np.array([part.weight for part in self.parts])
        for number in np.argsort(weights, kind="stable")[: self._settings["updates"]]:
            old, new = self.parts[number], self._improve(self.parts[number])
            self._penalty += new.weight**2 * new.rough.sum() - old.weight**2 * old.rough.sum()
            self.parts[number] = new
        self.misfit = float(self.residual @ self.residual)
        self.cost = 0.5 * self.misfit + 0.5 * self._penalty
        self._gain = abs(before - self.misfit)

    def estimate(self) -> RefilledEstimate:
        """Known entries as they are, and the sum of the components everywhere else."""
        components = ComponentSum(self.data.shape, tuple(self.parts))
        return RefilledEstimate(components, self.data.shape, self.data.positions, self.data.values)

    def finished(self) -> StopReason | None:
        snr, tolerance = self._settings["snr"], self._settings["tolerance"]
        if self.misfit <= self.aim:
            return StopReason("fit", f"The known entries are met: the residual is {snr:g} dB below the data.")
        if len(self.parts) >= self._settings["max_rank"] and self._gain <= tolerance * self.misfit:
            return StopReason(
                "change",
                f"The residual hardly changes any more with {len(self.parts)} components; a larger max_rank allows "
                f"more, and a tolerance below {tolerance:g} goes on.",
            )
        return None

    def grow(self, count: int) -> None:
        """Add components that are smooth, random, and have no weight yet: the next step gives them one."""
        for _ in range(count):
            vectors = self._rng.standard_normal(sum(self.data.shape))
            for mode, smoothness in enumerate(self._smoothness):
                block = self._sampled.block(vectors, mode)
                solve_quadratic(block.copy(), 1.0, smoothness, block)
                block /= np.linalg.norm(block)
            rough = rough_of(vectors, self._sampled.first_row, self._smoothness, self._quadratic)
            self.parts.append(Component(0.0, vectors, rough))

    def _improve(self, part: Component) -> Component:
        """A component with better vectors, mode after mode; the residual follows."""
        sampled, mode = self._sampled, self._sampled.fibre_mode
        vectors, rough, overlaps = part.vectors.copy(), part.rough.copy(), np.ones(self.data.order)
        kind = (self._smoothness, self._quadratic, overlaps, rough)
        dots = sampled.fibre_dots(self.residual, vectors)
        rows = sampled.first_row
        weight = improve_heads(sampled.heads, dots, vectors, part.vectors, part.weight, rows, mode, *kind)
        scales = scales_of(sampled.heads, vectors, mode, 1.0)
        c = sampled.along_fibres(self.residual, scales)
        weight = improve_mode(c, vectors, part.vectors, part.weight, weight, rows[mode], rows[mode + 1], mode, *kind)
        old = scales_of(sampled.heads, part.vectors, mode, part.weight)
        sampled.exchange(self.residual, (vectors, weight * scales), (part.vectors, old))
        return Component(weight, vectors, rough)

    def _count_wanted(self) -> int:
        """How many components to add: as many times as the last gain was too small, within limits."""
        growth, most = int(self._settings["growth"]), int(self._settings["max_rank"])
        enough = self._settings["growth_tolerance"] * (self.misfit - self.aim)
        if self._gain >= enough:
            return 0
        times = growth if self._gain * growth <= enough else int(enough / self._gain)
        return min(times, most - len(self.parts))


@dataclass(frozen=True, eq=False)
class ComponentSum(OnePart):
    """Σ_r g_r u_1r ∘ … ∘ u_Kr."""

    shape: tuple[int, ...]
    parts: tuple[Component, ...]

    def model(self) -> KruskalTensor:
        """The same as factors."""
        columns = np.stack([part.vectors for part in self.parts], axis=1)
        rows = np.concatenate(([0], np.cumsum(self.shape)))
        first, *others = (columns[start:end] for start, end in pairwise(rows))
        return KruskalTensor((first * [part.weight for part in self.parts], *others))

    def at(self, coordinates: NDArray[np.int64]) -> Array:
        return self.model().at(coordinates)

    def dense(self) -> Array:
        """The full tensor, from some components at a time, for there can be thousands of them."""
        shape, factors = self.shape, self.model().factors
        cut = min(range(1, len(shape)), key=lambda mode: entries(shape[:mode]) + entries(shape[mode:]))
        whole = np.zeros((entries(shape[:cut]), entries(shape[cut:])))
        step = max(1, _AT_ONCE // sum(whole.shape))
        for first in range(0, len(self.parts), step):
            some = [factor[:, first : first + step] for factor in factors]
            whole += reduce(_khatri_rao, some[:cut]) @ reduce(_khatri_rao, some[cut:]).T
        return whole.reshape(shape)


def _khatri_rao(left: Array, right: Array) -> Array:
    """Column by column, all products of an entry on the left with one on the right."""
    return np.asarray((left[:, None, :] * right).reshape(-1, left.shape[1]))


@compiled(nogil=True)
def best_vector(c, weight, ridge, smoothness, quadratic, out):  # type: ignore[no-untyped-def]
    """out = the best unit vector; returns the best weight with it, and how rough it is (ρ ‖L a‖^p).

    `ridge` is 1 + Σ_{m≠n} ρ_m ‖L u_m‖^p. If nothing fits better than nothing, the weight is 0 and out is left alone.
    """
    found = np.empty(len(c))
    if quadratic:
        solve_quadratic(c, ridge, smoothness, found)
    else:
        solve_total_variation(c, 0.5 * weight * smoothness, found)
    norm = np.sqrt(np.sum(found**2))
    if not norm > 0.0:
        return 0.0, smoothness * (squared_differences(out) if quadratic else absolute_differences(out))
    out[:] = found / norm
    if quadratic:
        return norm, smoothness * squared_differences(out)
    rough = smoothness * absolute_differences(out)
    return max(np.sum(out * c), 0.0) / (ridge + rough), rough


@compiled(nogil=True)
def improve_mode(c, vectors, old, old_weight, weight, first, end, mode, smoothness, quadratic, overlaps, rough):  # type: ignore[no-untyped-def]
    """The best vector of one mode put in the place of the last one; returns the weight of the component with it.

    c comes as the residual times the other vectors. For every mode, `overlaps` has the dot product of old and new
    vector, and `rough` has ρ ‖L u‖^p; both are kept up to date.
    """
    kept, ridge = old_weight, 1.0
    for other in range(len(rough)):
        if other != mode:
            kept *= overlaps[other]
            ridge += rough[other]
    before, block = old[first:end], vectors[first:end]
    c += kept * before
    weight, rough[mode] = best_vector(c, weight, ridge, smoothness[mode], quadratic, block)
    overlaps[mode] = np.sum(block * before)
    return weight


@compiled(nogil=True)
def improve_heads(heads, dots, vectors, old, old_weight, first_row, fibre_mode, smoothness, quadratic, overlaps, rough):  # type: ignore[no-untyped-def]
    """The best vectors of all modes but that of the fibres, one after the other; returns the weight with them."""
    weight = old_weight
    for mode in range(len(rough)):
        if mode != fibre_mode:
            first, end = first_row[mode], first_row[mode + 1]
            c = np.zeros(end - first)
            add_along_head(heads, dots, vectors, fibre_mode, mode, np.uint32(first), c)
            weight = improve_mode(
                c, vectors, old, old_weight, weight, first, end, mode, smoothness, quadratic, overlaps, rough
            )
    return weight


@compiled(nogil=True)
def rough_of(vectors, first_row, smoothness, quadratic):  # type: ignore[no-untyped-def]
    """ρ_n ‖L u_n‖^p, one number per mode."""
    out = np.empty(len(smoothness))
    for mode in range(len(smoothness)):
        block = vectors[first_row[mode] : first_row[mode + 1]]
        out[mode] = smoothness[mode] * (squared_differences(block) if quadratic else absolute_differences(block))
    return out


@compiled(nogil=True)
def scales_of(heads, vectors, fibre_mode, weight):  # type: ignore[no-untyped-def]
    """The weight times the product of all vectors but that of the fibres, one number per fibre."""
    out = np.empty(len(heads))
    fill_scales(heads, vectors, fibre_mode, weight, out)
    return out
