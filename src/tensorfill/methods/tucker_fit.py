"""Fitting a Tucker tensor of fixed rank to what is known: what RPrecon and geomCG share.

f(X) = ½ ‖P_Ω(X) − Y‖²,  X = G ×_1 U_1 … ×_K U_K
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal

import numpy as np

from ..completion import Completion, Watch
from ..estimates.tucker import TuckerTensor
from ..iterating import Progress
from ..numerics.linear_operator import LinearOperator
from ..numerics.sampled_tucker import SampledTucker
from ..numerics.vectors import dot
from ..observed import ObservedTensor
from ..riemannian.tucker import random_nonnegative
from ..tensor import Array
from .baseline import complete_by
from .setting_checks import Rank, check_choice, check_count, resolved_tucker_rank

StartSize = Literal["data", "authors"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A point with its residual on Ω, X − Y, and its cost."""

    point: TuckerTensor
    residual: Array
    cost: float


class TuckerFit:
    """The least-squares problem of one data set."""

    def __init__(self, data: ObservedTensor) -> None:
        self.values = data.values
        self._sampled = SampledTucker(data.shape, data.positions)

    def look(self, point: TuckerTensor) -> Fitted:
        """The residual and the cost at a point."""
        residual = self._sampled.values(point.core, point.factors)
        residual -= self.values
        return Fitted(point, residual, 0.5 * dot(residual, residual))

    def sized(self, point: TuckerTensor) -> TuckerTensor:
        """The multiple of a point that is closest to the data."""
        values = self._sampled.values(point.core, point.factors)
        return replace(point, core=dot(values, self.values) / dot(values, values) * point.core)

    def derivatives(self, at: Fitted) -> TuckerTensor:
        """∂f/∂G and ∂f/∂U_k."""
        return TuckerTensor(*self._tangent(at).adjoint(at.residual))

    def best_step(self, at: Fitted, direction: TuckerTensor) -> float:
        """The t that minimises f along the straight line X + t·direction; 0 if f does not change along it."""
        change = self._tangent(at).forward((direction.core, direction.factors))
        squared = dot(change, change)
        step = -dot(change, at.residual) / squared if squared > 0 else 0.0
        return step if np.isfinite(step) else 0.0

    def _tangent(self, at: Fitted) -> LinearOperator[tuple[Array, tuple[Array, ...]], Array]:
        return self._sampled.tangent(at.point.core, at.point.factors)


@dataclass(frozen=True, kw_only=True)
class TuckerMethod(ABC):
    """A method that fits a Tucker tensor, from a random nonnegative start.

    Parameters
    ----------
    rank
        Multilinear rank, one per mode or one for all (default: 10, or what is smaller: the mode's size, and the rank
        at which there are two known entries for every number of the model).
    max_iter
        Most iterations.
    start
        How large the random start is: "data", as large as the data, or "authors", as in their program, far larger,
        from where single unknown entries may never come back (default: "data" if the rank is left open too).
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    nonnegative: ClassVar[bool] = False
    needs_known_only: ClassVar[bool] = True

    rank: Rank = None
    max_iter: int
    start: StartSize | None = None

    def __post_init__(self) -> None:
        check_count(self.name, "max_iter", self.max_iter)
        if self.start is not None:
            check_choice(self.name, "start", self.start, ("data", "authors"))

    @abstractmethod
    def steps(self, fit: TuckerFit, start: TuckerTensor) -> Iterator[Progress]:
        """The iteration, from the start on."""

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for a rank that does not fit the tensor; refuses nothing else."""
        resolved_tucker_rank(self.name, self.rank, observed.shape, observed.count)
        return None

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        rank = resolved_tucker_rank(self.name, self.rank, observed.shape, observed.count)
        size = self.start or ("data" if self.rank is None else "authors")
        settings = {field.name: getattr(self, field.name) for field in fields(self)} | {"rank": rank, "start": size}
        start = random_nonnegative(observed.shape, rank, rng)

        def algorithm(data: ObservedTensor) -> Iterator[Progress]:
            fit = TuckerFit(data)
            return self.steps(fit, fit.sized(start) if size == "data" else start)

        return complete_by(self, observed, algorithm, settings, watch=watch)
