"""How far an estimate is from the truth, on a scale where the truth lies in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput

_WINDOW = 11  # SSIM's Gaussian, σ = 1.5, cut off at 3.5 σ


@dataclass(frozen=True)
class Score:
    """Errors of an estimate; all but `negative_share` and `scale` are of data divided by `scale`."""

    rmse: float
    """Root of the mean squared error over all entries."""
    rmse_unobserved: float | None
    """The same over the entries that were not observed; None if it is not known which these are."""
    psnr: float
    """Peak signal-to-noise ratio in decibels, −20 log₁₀ of `rmse`; infinite if the error is 0."""
    smallest: float
    """The smallest entry of the estimate."""
    negative_share: float
    """The share of entries of the estimate that are negative, 0 to 1."""
    scale: float
    """What truth and estimate were divided by."""


def rmse(truth: NDArray[Any], estimate: NDArray[Any]) -> float:
    """Root of the mean squared difference."""
    with np.errstate(over="ignore"):  # of values near the largest float; the root is then infinite, and says so
        return float(np.sqrt(np.mean((estimate.astype(np.float64) - truth.astype(np.float64)) ** 2)))


def unit_scale(truth: NDArray[Any]) -> float:
    """What to divide by so that the truth lies in [0, 1], or, where it goes below zero, that its range is 1.

    255 for 8-bit data, the largest value for other integers and for floating-point data above 1, else 1. Of data that
    goes below zero, the difference of the largest and the smallest value, whatever its type.
    """
    if truth.dtype == np.uint8:
        return 255.0
    largest, smallest = float(truth.max()), float(truth.min())
    if smallest < 0:
        return largest - smallest or 1.0
    if truth.dtype.kind == "f" and largest <= 1:
        return 1.0
    return largest if largest > 0 else 1.0


def score(truth: NDArray[Any], estimate: NDArray[Any], observed: NDArray[np.bool_] | None = None) -> Score:
    r"""Compare an estimate with the truth, both divided by a scale so that the truth lies in [0, 1].

    Parameters
    ----------
    truth : numpy.ndarray
        The true tensor, of any shape and real dtype, without NaN.
    estimate : numpy.ndarray
        The estimate, of the same shape.
    observed : numpy.ndarray of bool, optional
        True where the value was known, of the same shape. With it, the error of the other entries is given as well.

    Returns
    -------
    Score
        The errors: `rmse`, `rmse_unobserved`, `psnr`, `smallest`, `negative_share`, `scale`.

    Raises
    ------
    TensorfillError
        If shapes differ, or a value is NaN or infinite.

    Notes
    -----
    With :math:`s` the scale and :math:`N` the number of entries,

    .. math:: \mathrm{RMSE} = \frac{1}{s} \sqrt{\frac{1}{N} \sum_i (\hat x_i - x_i)^2},
              \qquad \mathrm{PSNR} = -20 \log_{10} \mathrm{RMSE}.

    The scale is 255 for 8-bit data, the largest true value for other integers and for floating-point data above 1, and
    1 otherwise. If the truth has negative values, the scale is the difference of its largest and its smallest value.

    Examples
    --------
    >>> truth = np.array([[0.0, 1.0], [0.5, 0.5]])
    >>> estimate = np.array([[0.0, 0.8], [0.5, 0.5]])
    >>> observed = np.array([[True, False], [True, True]])
    >>> found = score(truth, estimate, observed)
    >>> round(found.rmse, 3), round(found.rmse_unobserved, 3), round(found.psnr, 1)
    (0.1, 0.2, 20.0)
    """
    _check_comparable(truth, estimate)
    if observed is not None and observed.dtype != np.bool_:
        raise InvalidInput(f"'observed' must be a boolean array, True where known. Got {observed.dtype} instead.")
    if observed is not None and observed.shape != truth.shape:
        raise InvalidInput(f"'observed' must have the shape of the truth, {truth.shape}. Got {observed.shape} instead.")
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


def ssim(truth: NDArray[Any], estimate: NDArray[Any]) -> float:
    r"""Mean structural similarity (SSIM) over the slices of modes 1 and 2; 1 means identical.

    Parameters
    ----------
    truth : numpy.ndarray
        The true tensor, with at least 11 rows and 11 columns.
    estimate : numpy.ndarray
        The estimate, of the same shape.

    Returns
    -------
    float
        The mean over the pixels whose window lies inside the slice, then over all slices.

    Raises
    ------
    TensorfillError
        If shapes differ, a slice is smaller than the window, or a value is NaN or infinite.

    Notes
    -----
    With means :math:`m`, variances :math:`v` and the covariance :math:`c` under a Gaussian window of 11 × 11 pixels
    with a standard deviation of 1.5 pixels [1]_,

    .. math::

        \mathrm{SSIM} = \frac{(2 m_x m_y + 0.01^2)(2 c_{xy} + 0.03^2)}{(m_x^2 + m_y^2 + 0.01^2)(v_x + v_y + 0.03^2)}

    Both tensors are divided by the scale that `score` uses; if the truth has negative values, its smallest value is
    subtracted first. Values outside [0, 1] are not clipped.

    References
    ----------
    .. [1] Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality assessment: from error visibility to
       structural similarity", IEEE Transactions on Image Processing 13(4), 2004.

    Examples
    --------
    >>> ramp = np.add.outer(np.arange(16.0), np.arange(16.0))
    >>> ssim(ramp, ramp)
    1.0
    """
    _check_comparable(truth, estimate)
    if truth.ndim < 2 or min(truth.shape[:2]) < _WINDOW:
        raise InvalidInput(
            f"SSIM needs at least {_WINDOW} rows and {_WINDOW} columns, modes 1 and 2. Got shape {truth.shape} instead."
        )
    scale = unit_scale(truth)
    slices = [(slice(None), slice(None), *rest) for rest in np.ndindex(truth.shape[2:])]
    zero = min(float(truth.min()), 0.0)
    if zero < 0:
        truth, estimate = (array.astype(np.float64) - zero for array in (truth, estimate))
    return float(np.mean([_slice_ssim(truth[at] / scale, estimate[at] / scale) for at in slices]))


def _slice_ssim(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    mean_x, mean_y = _local_mean(x), _local_mean(y)
    squares = mean_x**2 + mean_y**2
    product = mean_x * mean_y
    variances = _local_mean(x**2 + y**2) - squares  # only their sum is needed
    covariance = _local_mean(x * y) - product
    similarity = (2 * product + 1e-4) * (2 * covariance + 9e-4) / ((squares + 1e-4) * (variances + 9e-4))
    return float(similarity.mean())


def _local_mean(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Gaussian mean around every pixel whose window lies inside."""
    from scipy.ndimage import correlate1d

    half = _WINDOW // 2
    weights = np.exp(-0.5 * (np.arange(-half, half + 1) / 1.5) ** 2)
    weights /= weights.sum()
    down = correlate1d(x, weights, axis=0)[half:-half]
    return np.asarray(correlate1d(down, weights, axis=1)[:, half:-half])


def _check_comparable(truth: NDArray[Any], estimate: NDArray[Any]) -> None:
    if truth.shape != estimate.shape:
        raise InvalidInput(
            f"The estimate must have the shape of the truth, {truth.shape}. Got {estimate.shape} instead."
        )
    for name, array in (("truth", truth), ("estimate", estimate)):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InvalidInput(f"The {name} has entries that are NaN or infinite, so no error can be computed.")
    if truth.size == 0:
        raise InvalidInput("The truth is empty, so there is nothing to compare.")
