"""Ruivaes: a hyperspectral scene of the paper."""

from ..dataset import Dataset
from ..foster_scene import LICENCE, SHAPE, SOURCE, how_to_get, original_scene

DATASET = Dataset(
    name="ruivaes",
    title="Ruivaes",
    kind="cube",
    shape=SHAPE,
    source=f"{SOURCE}, scene 2",
    licence=LICENCE,
    how_to_get=how_to_get(2, "ref_ruivaes1bb_reg1.mat or ref_ruivaes1bb_reg1_lax"),
    in_paper=True,
    order=3,
    files=(original_scene("ref_ruivaes1bb_reg1"), original_scene("ref_ruivaes1bb_reg1_lax")),
)
