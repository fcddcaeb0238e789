"""What methods share that work on the whole tensor: modes in another order, penalties that grow, an ADMM on slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..completion import StopReason
from ..estimates.estimate import DenseEstimate, RefilledEstimate
from ..iterating import Solver
from ..numerics.tensor_nuclear_norm import Transform
from ..numerics.threads import share
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import Baseline
from .setting_checks import Count, Growth, Positive, Tolerance

Numbers = NDArray[Any]

_PIECE = 2**15  # entries that are worth a call of a kernel
_ARRAYS = 7  # of full size that an ADMM on slices holds at a time


@dataclass(frozen=True)
class ModeOrder:
    """The modes of a tensor in another order, in which products along them are quick."""

    modes: tuple[int, ...]

    @classmethod
    def by_size(cls, shape: tuple[int, ...]) -> ModeOrder:
        """The largest last: products along any mode are then products of large matrices, with nothing to copy."""
        return cls(tuple(sorted(range(len(shape)), key=lambda mode: shape[mode])))

    @property
    def axis(self) -> tuple[int, ...]:
        """The place of every mode."""
        return tuple(self.modes.index(mode) for mode in range(len(self.modes)))

    def shape(self, data: ObservedTensor) -> tuple[int, ...]:
        """The sizes of the modes in this order."""
        return tuple(data.shape[mode] for mode in self.modes)

    def fill(self, data: ObservedTensor, elsewhere: float) -> Array:
        """The full tensor in this order, with one value where nothing is known."""
        whole = np.full(data.size, elsewhere)
        whole[data.positions] = data.values
        return np.ascontiguousarray(whole.reshape(data.shape).transpose(self.modes))

    def mask(self, data: ObservedTensor) -> NDArray[np.bool_]:
        """Where something is known, in this order."""
        return np.ascontiguousarray(data.mask().transpose(self.modes))

    def known(self, data: ObservedTensor) -> tuple[NDArray[np.int64], Array]:
        """Sorted positions of what is known, and its values, in this order."""
        indices = np.unravel_index(data.positions, data.shape)
        positions = np.ravel_multi_index([indices[mode] for mode in self.modes], self.shape(data))
        sorting = np.argsort(positions)
        return positions[sorting], data.values[sorting]

    def restore(self, array: Numbers) -> Numbers:
        """An array in this order with its modes as they were; a view."""
        return array.transpose(self.axis)


def relative_change(kernel: Callable[[int, int], tuple[float, float]], size: int) -> float:
    """‖X_new − X‖/‖X_new‖, where the kernel makes entries from one number to another and returns both squares."""
    squares = np.zeros((-(-size // _PIECE), 2))

    def work(piece: int) -> None:
        squares[piece] = kernel(piece * _PIECE, min((piece + 1) * _PIECE, size))

    share(work, len(squares))
    changed, length = np.sqrt(squares.sum(axis=0))
    return float(changed / length)


def report_small_change(change: float) -> StopReason:
    """The end of an iteration in which ‖X_new − X‖ became small, by this share of ‖X_new‖."""
    return StopReason("change", f"Converged: the last iteration changed the tensor by a share of {change:.1e}.")


def grow_penalty(penalty: float, growth: float, largest: float) -> float:
    """The penalty of the next iteration. One that starts above the largest stays where it is."""
    return min(growth * penalty, max(largest, penalty))


@dataclass(frozen=True)
class SliceInternals:
    """What steers methods on slices besides their settings."""

    largest_penalty: float = 1e10  # nothing moves by then
    single: float = 1e-5  # tolerances, as a share of the largest known value, that are met in single precision

    def choose_precision(self, tolerance: float) -> type[np.floating]:
        """The precision in which slices meet a tolerance."""
        return np.float32 if tolerance >= self.single else np.float64


@dataclass(frozen=True, kw_only=True)
class SliceMethod(Baseline):
    """A method that works on slices over modes 1 and 2 after a transform, by ADMM with a growing penalty.

    Parameters
    ----------
    transform
        "dct" (cosine) or "fft" (Fourier), along modes 3, 4, …
    penalty
        μ of the first iteration.
    penalty_growth
        What μ is multiplied by after every iteration, up to 1e10.
    tolerance
        Stop when |X_new − X| < tolerance in every entry and |X_new − Y| < tolerance in every known one, on data scaled
        to a largest value of 1. Below 1e-5, all is computed in double precision instead of single.
    max_iter
        Most iterations.
    """

    internals: ClassVar[SliceInternals] = SliceInternals()

    transform: Transform = "dct"
    penalty: Positive = 1e-4
    penalty_growth: Growth = 1.1
    tolerance: Tolerance = 1e-3
    max_iter: Count = 500

    def count_arrays(self, observed: ObservedTensor) -> int:
        return self.count_doubles(_ARRAYS)

    def count_doubles(self, arrays: int) -> int:
        """What so many full arrays need, as a number of arrays in double precision, and one for the result."""
        return -(-arrays * np.dtype(self.internals.choose_precision(self.tolerance)).itemsize // 8) + 1


class KnownEntries:
    """Y and Λ/μ, in the layout of slices: modes 3, …, K, 1, 2.

    With X_Ω = Y written as X + E = Y (E is zero on Ω, anything elsewhere) and a multiplier Λ, one step of E and Λ at
    penalty μ gives E = −X and Λ = 0 outside of Ω, and E = 0 and Λ ← Λ + μ(Y − X) on it. So Λ lives on Ω only, and what
    the next X is drawn to, Y − E + Λ/μ, is the last X outside of Ω and Y + Λ/μ on it.
    """

    def __init__(self, data: ObservedTensor, dtype: DTypeLike) -> None:
        self._data = data
        self._order = ModeOrder((*range(2, data.order), 0, 1))
        self.axis = self._order.axis
        self.shape = self._order.shape(data)
        self._positions, values = self._order.known(data)
        self._values: Numbers = values.astype(dtype)
        self._multiplier: Numbers = np.zeros_like(self._values)

    def fill_with_mean(self) -> Numbers:
        """Known entries, and their mean everywhere else."""
        whole: Numbers = np.full(self.shape, self._values.mean(), self._values.dtype)
        whole.reshape(-1)[self._positions] = self._values
        return whole

    def settle(self, new: Numbers, weaker: float) -> float:
        """Λ/μ for the penalty of the next step, `weaker` = μ/μ_next; returns the largest |Y − X| on Ω."""
        missed = self._values - new.reshape(-1)[self._positions]
        self._multiplier += missed
        self._multiplier *= weaker
        return float(np.abs(missed).max())

    def put_targets(self, whole: Numbers) -> None:
        """Overwrite the entries of Ω with Y + Λ/μ."""
        whole.reshape(-1)[self._positions] = self._values + self._multiplier

    def refill(self, values: Numbers) -> RefilledEstimate:
        """An array in the order of the data, with the known entries as they are."""
        return RefilledEstimate(
            DenseEstimate(self._order.restore(values)), self._data.shape, self._data.positions, self._data.values
        )


class SliceSolver(Solver):
    """An ADMM on slices under a penalty that grows: X, with a multiplier for what is known."""

    values: Numbers

    def __init__(self, data: ObservedTensor, settings: Mapping[str, Any], internals: SliceInternals) -> None:
        self._tolerance, self._growth = settings["tolerance"], settings["penalty_growth"]
        self._internals, self.dtype = internals, internals.choose_precision(settings["tolerance"])
        self.known = KnownEntries(data, self.dtype)
        self.penalty: float = settings["penalty"]
        self.cost = 0.0
        self.change = np.inf

    @property
    def next_penalty(self) -> float:
        """μ_next."""
        return grow_penalty(self.penalty, self._growth, self._internals.largest_penalty)

    def move_to(self, new: Numbers) -> None:
        """Take the next X, then update Λ and μ."""
        difference = new - self.values
        missed = self.known.settle(new, self.penalty / self.next_penalty)
        self.change = max(missed, float(max(difference.max(), -difference.min())))
        self.values, self.penalty = new, self.next_penalty

    def estimate(self) -> RefilledEstimate:
        return self.known.refill(self.values)

    def finished(self) -> StopReason | None:
        if not self.change < self._tolerance:
            return None
        return StopReason(
            "change",
            f"Converged: no entry changed by more than {self.change:.1e} of the largest known value in the last "
            "iteration, and no known one was missed by more.",
        )
