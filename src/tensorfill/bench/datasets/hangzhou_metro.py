"""How many people entered the stations of Hangzhou's metro: station × day × ten minutes."""

from ..data_file import DataFile
from ..dataset import Dataset

DATASET = Dataset(
    name="hangzhou_metro",
    title="Hangzhou metro",
    kind="counts",
    shape=(80, 25, 108),
    source="Passenger flow of 80 stations on 25 days in 108 slots of ten minutes, from the project transdim",
    licence="MIT, with the project transdim",
    how_to_get=(
        "Get datasets/Hangzhou-data-set/tensor.mat from https://github.com/xinychen/transdim and save it in the data "
        "folder as the array 'data' of hangzhou_metro.npz."
    ),
    files=(DataFile("hangzhou_metro.npz", sha256="50e15815c1c2720c141adaf0e8e60f34ab4bcd6dd1b9b3feba23213ed13606d8"),),
)
