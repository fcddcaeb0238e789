"""The certificate: bounds on the global optimum of the convex problem that any Z and S ≥ 0 give.

    D(X) = <Z, Y> − ‖Z‖²/(4C) − <X, B> − Σ_k λ_k/2 σ_max(X_k)²  ≤  global optimum  ≤  P(W)
    P(W) = C‖W_Ω − Y_Ω‖² + Σ_k 1/(2λ_k) ‖W^(k)_k‖_*²        for W = B + Σ_k W^(k) ≥ 0

W found by iteration is only nearly feasible. Adding its largest violation δ to every entry makes it feasible, and
costs at most δ√(Πn) in the trace norm of one component: `upper` is the value there, so it is a bound and not an
estimate.
"""

from __future__ import annotations

import numpy as np

from ..completion import Certificate
from ..numerics.eigenvalues import largest_eigenvalue
from ..tensor import Array, entries
from .inner import InnerSolution

_TIGHT = 1e-7


def certify(found: InnerSolution, lower: float = -np.inf) -> Certificate:
    """Bounds and KKT residuals for a solution of the inner problem at some U; `lower` is a bound known already."""
    problem, support = found.support.problem, found.support
    Z, S, W = found.Z, found.S, found.W
    negativity = max(0.0, -found.smallest)
    upper = upper_bound(found)
    misfit = np.where(support.observed, Z - 2 * problem.C * (support.values - W), 0.0)
    return Certificate(
        upper=upper,
        lower=max(lower, lower_bound(found)),
        negativity=negativity / problem.largest,
        complementarity=float(np.abs(S * W).sum()) / upper,
        stationarity=float(np.linalg.norm(misfit) / (2 * problem.C * np.sqrt(problem.squared_norm))),
    )


def lower_bound(found: InnerSolution, tolerance: float = _TIGHT) -> float:
    """D(X), below the global optimum for any Z on Ω and S ≥ 0; σ_max is found to a relative `tolerance`."""
    problem, support = found.support.problem, found.support
    Z = found.Z
    X = Z + found.S  # found.X itself, unless an inner solve ended early with multipliers below zero
    value = float(Z @ support.values) - float(Z @ Z) / (4 * problem.C) - support.pair_with_fixed(X)
    for mode, weight in enumerate(problem.lam):
        value -= weight / 2 * largest_eigenvalue(support.operator, mode, X, tolerance)
    return value


def upper_bound(found: InnerSolution) -> float:
    """P at W, lifted by its largest violation of W ≥ 0."""
    return _primal_value(found, shift=max(0.0, -found.smallest))


def _primal_value(found: InnerSolution, shift: float) -> float:
    """P(W + shift), the constant given to the component where it costs least."""
    problem, support = found.support.problem, found.support
    residual = found.W[support.observed] + shift - problem.values
    norms = [trace_norm(found, mode) for mode in range(len(problem.shape))]
    extra = shift * np.sqrt(entries(problem.shape))
    without = sum(norm**2 / (2 * weight) for norm, weight in zip(norms, problem.lam, strict=True))
    cheapest = min(
        (2 * norm * extra + extra**2) / (2 * weight) for norm, weight in zip(norms, problem.lam, strict=True)
    )
    return float(problem.C * (residual @ residual) + without + cheapest)


def trace_norm(found: InnerSolution, mode: int) -> float:
    """‖W^(k)_k‖_* of W^(k)_k = λ_k U_k U_kᵀ X_k, from r_k × r_k matrices."""
    U: Array = found.factors[mode]
    R = np.linalg.qr(U).R
    projected = U.T @ found.support.operator.gram(mode, found.X, U)
    squares = np.linalg.eigvalsh(R @ ((projected + projected.T) / 2) @ R.T)
    return found.support.problem.lam[mode] * float(np.sqrt(np.maximum(squares, 0.0)).sum())
