"""Where the outer iteration starts: from the spectrum of the data, or at random.

Spectral: with p = |Ω|/Πn and M_k = (Y_Ω)_k (Y_Ω)_kᵀ, the diagonal of M_k multiplied by p and all of it divided by p² is
an unbiased estimate of Y_k Y_kᵀ. From its top eigenpairs (w, Q), U_k = Q diag(w)^{1/4}, normalised: the Θ_k of the
paper's Lemma 1 for the debiased data.
"""

from __future__ import annotations

import numpy as np

from ..numerics.eigenvalues import leading_eigenpairs
from ..numerics.fibre_operator import FibreOperator
from ..riemannian.spectrahedron import Point
from ..tensor import Array

_FLOOR = 1e-3  # weakest direction kept, as a share of the strongest eigenvalue


def spectral_start(operator: FibreOperator, values: Array, ranks: tuple[int, ...], share: float) -> Point:
    """U_k from the debiased second moments of the observed values."""
    return tuple(_mode_start(operator, values, mode, rank, share) for mode, rank in enumerate(ranks))


def _mode_start(operator: FibreOperator, values: Array, mode: int, rank: int, share: float) -> Array:
    n = operator.shape[mode]
    excess = (1 - share) * np.bincount(operator.rows(mode), weights=values**2, minlength=n)

    def debiased(V: Array) -> Array:
        return operator.gram(mode, values, V) - excess[:, None] * V

    weights, vectors = leading_eigenpairs(debiased, n, rank)
    strongest = max(float(weights[-1]), 0.0)
    # A direction the data says nothing about still gets a little weight, so that U keeps its rank.
    weights = np.maximum(weights, _FLOOR * strongest if strongest > 0 else 1.0)
    U = vectors * weights**0.25
    return np.asarray(U / np.linalg.norm(U))
