"""How well values are met: R², and which known entries of rows are hidden to find out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput

_HIDDEN_SHARE = 0.1


def r_squared(true: NDArray[Any], found: NDArray[Any]) -> float:
    """1 is perfect, 0 is no better than the mean of the true values."""
    truth = true.astype(np.float64)
    residual, spread = truth - found, truth - truth.mean()
    total = float(spread @ spread)
    return 1.0 - float(residual @ residual) / total if total > 0 else float(not residual.any())


def hidden_entries(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A tenth of the known entries, at least two and always the same ones, so that settings can be compared."""
    places = np.flatnonzero(known)
    if len(places) < 3:
        raise InvalidInput(
            f"To score rows some of what is known in them is hidden, and that must be more than 2 entries. "
            f"Got {len(places)} instead."
        )
    count = min(max(2, round(_HIDDEN_SHARE * len(places))), len(places) - 1)
    hidden = np.zeros(known.size, dtype=bool)
    hidden[np.random.default_rng(0).choice(places, count, replace=False)] = True
    return hidden.reshape(known.shape)
