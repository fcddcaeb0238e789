"""Baboon, fur and whiskers in colour: an image of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset

DATASET = Dataset(
    name="baboon",
    title="Baboon",
    kind="image",
    shape=(256, 256, 3),
    source="USC-SIPI Image Database, 4.2.03, halved",
    licence="unclear: USC-SIPI provides it for research, who holds the copyright is open",
    how_to_get=(
        "Save Bayesian/BayesianCP/TestImages/baboon.bmp from "
        "https://github.com/GongWenwuu/LRTL_Methods_Applications in the data folder as baboon_256.png."
    ),
    in_paper=True,
    order=8,
    files=(DataFile("baboon_256.png", sha256="33d13c61c384c83470451cdea15055f59206aa50c95c413b0237876acdd5375d"),),
)
