"""Splash, a drop falling into milk, in colour: an image of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset

DATASET = Dataset(
    name="splash",
    title="Splash",
    kind="image",
    shape=(512, 512, 3),
    source="USC-SIPI Image Database, 4.2.01",
    licence="unclear: USC-SIPI provides it for research, who holds the copyright is open",
    how_to_get=(
        "Get 4.2.01 from https://sipi.usc.edu/database/database.php?volume=misc and save it in the data folder as "
        "splash_512.png."
    ),
    in_paper=True,
    order=9,
    files=(DataFile("splash_512.png", sha256="7b587e1af294f77a79f185344fe010a28079f35aa74ec1fdf8c6fab446cd501c"),),
)
