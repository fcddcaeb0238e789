"""Container, a ship on the water: a video of the paper."""

from ..data_file import DataFile
from ..dataset import Dataset
from ..qcif_video import H264, LICENCE, SHAPE, SOURCE, how_to_get, made_from_h264, raw_video

DATASET = Dataset(
    name="container",
    title="Container",
    kind="video",
    shape=SHAPE,
    source=SOURCE,
    licence=LICENCE,
    how_to_get=f"{how_to_get('container_qcif')} Or {made_from_h264('container_cif', 'container_qcif_h264.npz')}",
    in_paper=True,
    order=5,
    files=(
        raw_video("container_qcif.yuv"),
        DataFile(
            "container_qcif_h264.npz",
            sha256="3b84334409da228924f47c22455349206d66ec67e858a7977d53a90188e7430e",
            approximate=H264,
        ),
    ),
)
