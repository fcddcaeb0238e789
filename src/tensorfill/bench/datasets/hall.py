"""Hall, people in a corridor: a video of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset
from ..qcif_video import LICENCE, SHAPE, SOURCE, how_to_get, raw_video

DATASET = Dataset(
    name="hall",
    title="Hall",
    kind="video",
    shape=SHAPE,
    source=SOURCE,
    licence=LICENCE,
    how_to_get=(
        f"{how_to_get('hall_qcif')} Or save TF/TCTF/test_video/hall_qcif.mat from "
        "https://github.com/GongWenwuu/LRTL_Methods_Applications in the data folder as the array 'data' of "
        "hall_qcif.npz."
    ),
    in_paper=True,
    order=6,
    files=(
        raw_video("hall_qcif.yuv"),
        raw_video("hall_monitor_qcif.yuv"),
        DataFile("hall_qcif.npz", sha256="7d7f31f26510d2265df8075f524d1c064feb758b8abbcc88f9fad0d780750db6"),
    ),
)
