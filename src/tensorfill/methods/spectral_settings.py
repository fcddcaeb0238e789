"""Settings of `spectral`: bases and borders as they are given, checked and made, and what was chosen, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..spectral.bases import Basis, Binning, Borders, Columns, Cosines, CosinesWithin, Entries, Waves
from ..spectral.run import SpectralRun
from .setting_checks import wrong


def is_named(basis: object, name: str) -> bool:
    """Whether a basis is given by this name, and not as a matrix."""
    return isinstance(basis, str) and basis == name


def make_basis(basis: Any, size: int, alone: tuple[int, int], dtype: np.dtype[np.floating], binning: Binning) -> Basis:
    """A basis from its name or its matrix, with indices at either end that stand alone."""
    if not isinstance(basis, str):
        return Columns(basis, "own", dtype, binning)
    if basis == "fourier":
        return Waves(size, binning)
    if basis == "identity":
        return Entries(size)
    return CosinesWithin(size, *alone, binning) if any(alone) else Cosines(size, binning)


def check_borders(method: str, borders: Sequence[Sequence[int]], shape: tuple[int, ...]) -> None:
    """Refuse borders that leave nothing between them."""
    pairs = np.asarray(borders)
    whole = pairs.shape == (len(shape), 2) and np.issubdtype(pairs.dtype, np.integer)
    if not whole or (pairs < 0).any() or (pairs.sum(axis=1) >= shape).any():
        raise wrong(method, "borders", "hold two whole numbers for every mode that leave indices between them", borders)


def check_matrix(method: str, basis: ArrayLike, size: int) -> None:
    """Refuse a matrix that is no orthonormal basis of a mode of this size."""
    try:
        matrix = np.asarray(basis, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(())
    if matrix.shape != (size, size) or not np.allclose(matrix.T @ matrix, np.eye(size), atol=1e-4):
        requirement = f"hold names or matrices with orthonormal columns, here {size} × {size}"
        raise wrong(method, "bases", requirement, f"one of shape {matrix.shape}")


def give_reasons(work: SpectralRun, scale: float, *, bases: bool, borders: bool) -> dict[str, str]:
    """Why things are as they are; `bases` and `borders` say whether these were left open."""
    if work.prior is None:
        return {}
    reasons = {
        "noise": f"σ = {scale * work.prior.noise**0.5:.3g}, by maximum marginal likelihood (C = 1/(2σ²)).",
        "spectrum": f"{work.prior.variances.size:,} variances, likewise, in {work.steps} steps of the solver.",
    }
    if borders and any(map(any, work.plan.borders)):
        reasons["borders"] = f"Nothing like what is beside them: {_describe_borders(work.plan.borders)}."
    if len(work.errors) > 1 and bases:
        told = "; ".join(f"{describe_modes(modes)} {scale * error:.3g}" for modes, error in work.errors.items())
        reasons["bases"] = f"Smallest error at held-out entries: {told}."
    if work.constraint_errors is not None:
        without, within = (scale * error for error in work.constraint_errors)
        how = "part of the problem" if work.constrained else "reached by clipping"
        reasons["nonnegativity"] = f"{how}: error at held-out entries {within:.3g} with it, {without:.3g} without."
    return reasons


def describe_modes(modes: tuple[int, ...]) -> str:
    """Which bases were learned, in words."""
    if not modes:
        return "cosines everywhere"
    return f"learned on mode{'s' if len(modes) > 1 else ''} {', '.join(str(mode + 1) for mode in modes)}"


def _describe_borders(borders: Borders) -> str:
    """What stands alone at the ends of modes, in words."""
    told = []
    for mode, ends in enumerate(borders, start=1):
        for count, end in zip(ends, ("first", "last"), strict=True):
            if count:
                told.append(f"the {end} {'index' if count == 1 else f'{count} indices'} of mode {mode}")
    return ", ".join(told)
