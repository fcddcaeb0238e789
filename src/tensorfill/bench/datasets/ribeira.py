"""Ribeira: a hyperspectral scene of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset
from ..foster_scene import LICENCE, SHAPE, SOURCE, how_to_get, original_scene, read_small_scene

DATASET = Dataset(
    name="ribeira",
    title="Ribeira",
    kind="cube",
    shape=SHAPE,
    source=f"{SOURCE}, scene 7",
    licence=LICENCE,
    how_to_get=how_to_get(7, "ref_ribeira1bbb_reg1"),
    in_paper=True,
    order=1,
    files=(
        DataFile("ref_ribeira1bbb_reg1_resize_203x268x33.mat", read=read_small_scene),
        original_scene("ref_ribeira1bbb_reg1"),
    ),
)
