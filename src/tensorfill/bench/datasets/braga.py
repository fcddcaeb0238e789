"""Braga: a hyperspectral scene of the paper."""

from ..dataset import Dataset
from ..foster_scene import LICENCE, SHAPE, SOURCE, how_to_get, original_scene

DATASET = Dataset(
    name="braga",
    title="Braga",
    kind="cube",
    shape=SHAPE,
    source=f"{SOURCE}, scene 6",
    licence=LICENCE,
    how_to_get=how_to_get(6, "ref_braga1bb_reg1"),
    in_paper=True,
    order=2,
    files=(original_scene("ref_braga1bb_reg1"),),
)
