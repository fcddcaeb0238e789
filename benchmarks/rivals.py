"""What one would take instead: other packages that fill in missing entries, each with a time limit.

A rival gets zeros where nothing is observed and gives back its whole model. The factorisations are told a rank; try
several. `TooSlow` means that it has nothing to show within the limit; factorisations stop where they are.

The packages bm3d (4.0.3) and bm4d (4.2.5), whose denoisers could fill scattered holes by turns of denoising and putting
known entries back, are not here, because their licence allows use of non-commercial scope only.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MOST_ITERATIONS = 1000


class TooSlow(Exception):
    """Nothing to show within the time limit."""


@dataclass(frozen=True)
class Rival:
    """A package, what is called in it, and whether it is told a rank."""

    package: str
    what: str
    complete: Callable[[Array, Mask, int, float], Array]
    has_rank: bool


def nonnegative_parafac(data: Array, observed: Mask, rank: int, limit: float) -> Array:
    """tensorly.decomposition.non_negative_parafac: CP with nonnegative factors, by multiplicative updates.

    It replaces what is missing by the model at every step. It cannot be stopped, so a few steps say how many there is
    time for. The start is random: on Baboon at rank 10 the spectral one took longer and ended no lower.
    """
    tensorly: Any = import_module("tensorly")
    decomposition: Any = import_module("tensorly.decomposition")

    def run(iterations: int) -> Any:
        return decomposition.non_negative_parafac(
            data, rank, n_iter_max=iterations, init="random", random_state=0, tol=1e-6, mask=observed.astype(float)
        )

    run(1)
    began = time.perf_counter()
    run(3)
    affordable = int(3 * limit / (time.perf_counter() - began))
    return np.asarray(tensorly.cp_to_tensor(run(min(_MOST_ITERATIONS, affordable))))


def generalized_cp(data: Array, observed: Mask, rank: int, limit: float) -> Array:
    """pyttb.gcp_opt: CP with nonnegative factors, least squares on the observed entries, by L-BFGS-B."""
    pyttb: Any = import_module("pyttb")
    handles: Any = import_module("pyttb.gcp.handles")
    optimizers: Any = import_module("pyttb.gcp.optimizers")
    began = time.perf_counter()

    def stop_in_time(_: Array) -> None:
        if time.perf_counter() - began > limit:
            raise StopIteration

    rng = np.random.default_rng(0)
    start = pyttb.ktensor([np.asfortranarray(rng.random((size, rank))) for size in data.shape])
    start *= np.sqrt(np.sum(data**2) / observed.mean()) / start.norm()
    logging.disable(logging.WARNING)  # one line per function value otherwise
    try:
        model, _, _ = pyttb.gcp_opt(
            pyttb.tensor(data),
            rank,
            (handles.gaussian, handles.gaussian_grad, 0.0),
            optimizers.LBFGSB(maxiter=_MOST_ITERATIONS, maxfun=10 * _MOST_ITERATIONS, callback=stop_in_time),
            init=start,
            mask=pyttb.tensor(observed.astype(float)),
            printitn=0,
        )
    finally:
        logging.disable(logging.NOTSET)
    return np.asarray(model.full().data)


def biharmonic(data: Array, observed: Mask, rank: int, limit: float) -> Array:
    """skimage.restoration.inpaint_biharmonic, for every slice of the last mode; it keeps the observed entries.

    With `channel_axis` it would want the same entries to be missing in all slices, so each is filled in by itself.
    """
    restoration: Any = import_module("skimage.restoration")
    began = time.perf_counter()
    filled = np.empty_like(data)
    for i in range(data.shape[-1]):
        if time.perf_counter() - began > limit:
            raise TooSlow(f"{i} of {data.shape[-1]} slices")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            filled[..., i] = restoration.inpaint_biharmonic(data[..., i], ~observed[..., i])
    return filled


RIVALS: Mapping[str, Rival] = {
    "tensorly": Rival("tensorly", "non_negative_parafac", nonnegative_parafac, has_rank=True),
    "pyttb": Rival("pyttb", "gcp_opt, factors ≥ 0", generalized_cp, has_rank=True),
    "scikit-image": Rival("scikit-image", "inpaint_biharmonic", biharmonic, has_rank=False),
}
