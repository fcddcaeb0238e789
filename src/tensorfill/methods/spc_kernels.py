"""Compiled steps of `spc`: the vectors of one component, each the best one while everything else stays as it is.

Unknown entries are filled with the current fit, so that the data minus all other components is E + g_old u_old∘…: E is
the residual, zero where nothing is known. For mode n this times the other vectors is a vector c, and the objective is

    ½ g² (1 + Σ_{m≠n} ρ_m ‖L u_m‖^p + ρ_n ‖L a‖^p) − g aᵀc + …      over a = u_n with ‖a‖ = 1, and g ≥ 0

p = 2: with v = g a this is quadratic, and (1 + Σ_{m≠n} ρ_m ‖L u_m‖² + ρ_n LᵀL) v = c. p = 1: for a given g the best a
is the normalised minimum of ½ ‖v − c‖² + ½ g ρ_n ‖L v‖_1, and for this a there is a best g.
"""

import numpy as np

from ..compiling import compiled
from ..numerics.sampled_rank_one import add_along_head, fill_scales
from ..numerics.smooth_vectors import (
    absolute_differences,
    solve_quadratic,
    solve_total_variation,
    squared_differences,
)


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
