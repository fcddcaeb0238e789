"""Highway, the view from a car: a video of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset
from ..qcif_video import H264, LICENCE, SHAPE, SOURCE, how_to_get, made_from_h264, raw_video

DATASET = Dataset(
    name="highway",
    title="Highway",
    kind="video",
    shape=SHAPE,
    source=SOURCE,
    licence=LICENCE,
    how_to_get=f"{how_to_get('highway_qcif')} Or {made_from_h264('highway_cif', 'highway_qcif_h264.npz')}",
    in_paper=True,
    order=7,
    files=(
        raw_video("highway_qcif.yuv"),
        DataFile(
            "highway_qcif_h264.npz",
            sha256="8181289f0b68a3003c4bdad11c35c806c95798a45def11d283ff3cef5823ee61",
            approximate=H264,
        ),
    ),
)
