"""A nonnegative tensor of known low rank: random factors and core, multilinear rank (5, 5, 3)."""

import numpy as np

from ...estimates.factored import TuckerTensor
from ...tensor import Array
from ..dataset import Dataset

SHAPE, RANKS = (64, 64, 20), (5, 5, 3)


def make() -> Array:
    """Factors and core uniform in [0, 1), the whole divided by its largest value."""
    rng = np.random.default_rng(100)
    factors = tuple(rng.random((size, rank)) for size, rank in zip(SHAPE, RANKS, strict=True))
    full = TuckerTensor(rng.random(RANKS), factors).dense()
    return np.asarray(full / full.max())


DATASET = Dataset(
    name="syn",
    title="Synthetic",
    kind="synthetic",
    shape=SHAPE,
    source="Random numbers with a fixed seed",
    licence="free: made on the fly",
    how_to_get="It is made on the fly.",
    make=make,
)
