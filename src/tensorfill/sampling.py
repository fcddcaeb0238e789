"""Hide entries of a tensor, to see how well they come back."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidSetting, must_be


def uniform(shape: Sequence[int], keep: float, seed: int) -> NDArray[np.bool_]:
    """Keep each entry independently with probability `keep`; True means kept.

    >>> uniform((2, 3), keep=0.5, seed=0).sum()
    np.int64(3)
    """
    if not 0 < keep <= 1:
        raise InvalidSetting(must_be("keep", "be above 0 and at most 1, the share of entries to keep", keep))
    if seed < 0:
        raise InvalidSetting(must_be("seed", "be 0 or more", seed))
    return np.random.default_rng(seed).random(tuple(shape)) < keep
