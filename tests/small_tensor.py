"""A small tensor with holes, for the tests of the front doors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray


@pytest.fixture(name="truth")
def make_truth() -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return np.einsum("ir,jr,kr->ijk", rng.random((8, 2)), rng.random((7, 2)), rng.random((6, 2)))


@pytest.fixture(name="known")
def make_known() -> NDArray[np.bool_]:
    return np.random.default_rng(1).random((8, 7, 6)) < 0.6


@pytest.fixture(name="holes")
def make_holes(truth: NDArray[Any], known: NDArray[Any]) -> NDArray[np.float64]:
    """The truth with NaN where it is not known."""
    return np.where(known, truth, np.nan)
