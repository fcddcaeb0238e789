"""How far an estimate is from the truth, on a scale where the truth lies in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput


@dataclass(frozen=True)
class Score:
    """Errors of an estimate; `rmse_unobserved` is None when it is not known what was observed."""

    rmse: float
    rmse_unobserved: float | None
    psnr: float
    smallest: float
    negative_share: float
    scale: float
    """What truth and estimate were divided by."""


def rmse(truth: NDArray[Any], estimate: NDArray[Any]) -> float:
    """Root of the mean squared difference."""
    return float(np.sqrt(np.mean((estimate.astype(np.float64) - truth.astype(np.float64)) ** 2)))


def unit_scale(truth: NDArray[Any]) -> float:
    """What to divide by so that the truth lies in [0, 1].

    255 for 8-bit data, the largest value for other integers and for floating-point data above 1, else 1.
    """
    if truth.dtype == np.uint8:
        return 255.0
    largest = float(truth.max())
    if truth.dtype.kind == "f" and largest <= 1:
        return 1.0
    return largest if largest > 0 else 1.0


def score(truth: NDArray[Any], estimate: NDArray[Any], observed: NDArray[np.bool_] | None = None) -> Score:
    """Compare an estimate with the truth, both divided by `unit_scale(truth)`."""
    if truth.shape != estimate.shape:
        raise InvalidInput(
            f"The estimate must have the shape of the truth, {truth.shape}. Got {estimate.shape} instead."
        )
    if observed is not None and observed.dtype != np.bool_:
        raise InvalidInput(f"'observed' must be a boolean array, True where known. Got {observed.dtype} instead.")
    if observed is not None and observed.shape != truth.shape:
        raise InvalidInput(f"'observed' must have the shape of the truth, {truth.shape}. Got {observed.shape} instead.")
    for name, array in (("truth", truth), ("estimate", estimate)):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InvalidInput(f"The {name} has entries that are NaN or infinite, so no error can be computed.")
    if truth.size == 0:
        raise InvalidInput("The truth is empty, so there is nothing to compare.")
    scale = unit_scale(truth)
    error = rmse(truth, estimate) / scale
    hidden = None if observed is None else ~observed
    unobserved = rmse(truth[hidden], estimate[hidden]) / scale if hidden is not None and hidden.any() else None
    return Score(
        rmse=error,
        rmse_unobserved=unobserved,
        psnr=float("inf") if error == 0 else -20.0 * float(np.log10(error)),
        smallest=float(estimate.min()) / scale,
        negative_share=float(np.mean(estimate < 0)),
        scale=scale,
    )
