"""A multispectral scene of the CAVE database, which can stand in for the scenes of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset

DATASET = Dataset(
    name="cave_a",
    title="CAVE a",
    kind="cube",
    shape=(256, 256, 31),
    source="CAVE Multispectral Image Database (Yasuma and others, 2008), one scene at 256 × 256 pixels",
    licence="unclear: made available to the research community, no licence is stated",
    how_to_get=(
        "Take the scene from CAVE_sampling_rate_10.mat of https://github.com/linchenee/RLMTF-RMTFD and save it in the "
        "data folder as the array 'data' of cave_a.npz, 256 × 256 × 31, 16 bits."
    ),
    files=(DataFile("cave_a.npz", sha256="92b1277a0b009ccd9a4e5b626aae653f867971026b96c1f0e03c0b96d2071e7c"),),
)
