"""Airplane, an F-16 above mountains, in colour."""

from ..data_file import DataFile
from ..dataset import Dataset

DATASET = Dataset(
    name="airplane",
    title="Airplane",
    kind="image",
    shape=(512, 512, 3),
    source="USC-SIPI Image Database, 4.2.05",
    licence="unclear: USC-SIPI provides it for research, who holds the copyright is open",
    how_to_get=(
        "Get 4.2.05 from https://sipi.usc.edu/database/database.php?volume=misc and save it in the data folder as "
        "airplane_f16_512.png."
    ),
    files=(
        DataFile("airplane_f16_512.png", sha256="60909fbcf395d8d308fdf96a9e3de04463470b86da4a89d08b760ecad6e3d5e0"),
    ),
)
