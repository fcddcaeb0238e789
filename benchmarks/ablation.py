"""What each ingredient of the solver is worth: the solver without it, next to the solver as it is, in one run.

    python benchmarks/ablation.py [--data DIR] [--rows baboon,splash,hall,cave_a]

Each variant replaces one ingredient by what one would write first, on the same data; operator calls do not depend on
how busy the machine is. Polishing at the end is not counted among the calls, and is among the seconds.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from harness import make_parser, names_from, save_results, show
from numpy.typing import NDArray
from tasks import TASKS, Loaded

import tensorfill
from tensorfill.dual.problem import DualProblem
from tensorfill.dual.solve import OUTER, OuterSettings
from tensorfill.methods.registry import available_methods, forget, register
from tensorfill.numerics.fibre_operator import Factors, FibreOperator
from tensorfill.riemannian.spectrahedron import Tangent, scale

Array = NDArray[np.float64]


class Diagonal:
    """Instead of the leading directions: only the diagonal of D + K."""

    def __init__(
        self, operator: FibreOperator, U: Factors, lam: tuple[float, ...], D: Array, free: NDArray[np.bool_]
    ) -> None:
        self._inverse = np.where(free, 1 / (D + operator.diagonal(U, lam)), 0.0)

    def __call__(self, r: Array) -> Array:
        return np.asarray(self._inverse * r)


class NoModel:
    """Instead of the model of the Hessian: a multiple of the identity, of the size of g."""

    def __init__(self, problem: DualProblem, at: Any) -> None:
        self._size = at.value

    def solve(self, tangent: Tangent) -> Tangent:
        """A step along the gradient."""
        return scale(1 / self._size, tangent)


@dataclass(frozen=True)
class Variant:
    """The solver without one of its ingredients."""

    name: str
    outer: OuterSettings = OUTER
    settings: tuple[tuple[str, Any], ...] = ()
    methods: tuple[str, ...] = ("dual",)


VARIANTS = (
    Variant("as it is", methods=("dual", "nonneg-dual")),
    Variant(
        "diagonal preconditioner", replace(OUTER, active_set=replace(OUTER.active_set, make_preconditioner=Diagonal))
    ),
    Variant("no model of the Hessian", replace(OUTER, make_model=NoModel)),
    Variant("conjugate gradients (the paper's)", settings=(("optimizer", "conjugate-gradient"),)),
    Variant("values seven times as exact", replace(OUTER, search=replace(OUTER.search, accuracy=0.03))),
    Variant("random start", settings=(("start", "random"),)),
    Variant("BLAS with its own threads", replace(OUTER, limit_blas=nullcontext)),
    Variant(
        "S from the first iteration",
        settings=(("two_stages", False), ("gradient_tolerance", 5e-3)),
        methods=("nonneg-dual",),
    ),
    Variant("U and S together to the end", settings=(("gradient_tolerance", 5e-3),), methods=("nonneg-dual",)),
)


def measure(loaded: Loaded, variant: Variant, method: str) -> dict[str, Any]:
    """One run of a variant, as a method of its own."""
    known, kind = loaded.observed, available_methods()[method]
    register(type("Ablated", (kind,), {"name": "ablated", "outer": variant.outer}))
    try:
        done = tensorfill.complete(
            np.where(known, loaded.truth, 0), known, "ablated", rank=loaded.task.rank, **dict(variant.settings)
        )
    finally:
        forget("ablated")
    assert done.history is not None
    assert done.certificate is not None
    return {
        "data": loaded.title,
        "method": method,
        "variant": variant.name,
        "iterations": len(done.history) - 1,
        "operator_calls": done.history[-1].operator_calls,
        "seconds": done.seconds,
        "objective": done.certificate.upper,
        "rmse": float(np.sqrt(np.mean((done.model - loaded.truth) ** 2))),
    }


def cells(result: dict[str, Any], base: dict[str, Any]) -> tuple[str, ...]:
    """A result as a row, next to the solver as it is."""
    return (
        result["data"],
        result["method"],
        result["variant"],
        str(result["iterations"]),
        str(result["operator_calls"]),
        f"{result['operator_calls'] / base['operator_calls']:.1f}",
        f"{result['seconds']:.1f}",
        f"{result['seconds'] / base['seconds']:.1f}",
        f"{result['objective']:.2f}",
        f"{result['rmse']:.5f}",
    )


HEAD = ("data", "method", "variant", "iterations", "calls", "× calls", "seconds", "× seconds", "objective", "RMSE")


def main() -> None:
    """Measure, print, save."""
    parser = make_parser(__doc__, data="optional")
    parser.add_argument("--rows", help="which data, by comma")
    chosen = parser.parse_args()
    names = names_from(chosen.rows, [task.name for task in TASKS], "data")
    base: dict[tuple[str, str], dict[str, Any]] = {}
    found = (
        measure(loaded, variant, method)
        for loaded in (task.load(chosen.data) for task in TASKS if task.name in names)
        for variant in VARIANTS
        for method in variant.methods
    )

    def spell(result: dict[str, Any]) -> tuple[str, ...]:
        """The first variant is the solver as it is."""
        return cells(result, base.setdefault((result["data"], result["method"]), result))

    results, _ = show(HEAD, found, spell, words=(0, 1, 2))
    save_results("ablation", results)


if __name__ == "__main__":
    main()
