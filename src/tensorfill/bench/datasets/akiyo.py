"""Akiyo, a newsreader: a video with little motion."""

from ..data_file import DataFile
from ..dataset import Dataset
from ..qcif_video import H264, LICENCE, SHAPE, SOURCE, how_to_get, made_from_h264, raw_video

DATASET = Dataset(
    name="akiyo",
    title="Akiyo",
    kind="video",
    shape=SHAPE,
    source=SOURCE,
    licence=LICENCE,
    how_to_get=f"{how_to_get('akiyo_qcif')} Or {made_from_h264('akiyo_cif', 'akiyo_qcif_h264.npz')}",
    files=(
        raw_video("akiyo_qcif.yuv"),
        DataFile(
            "akiyo_qcif_h264.npz",
            sha256="c5840ff8e85743949e42e399782677731823d0a127bad34074d7afeee01592cb",
            approximate=H264,
        ),
    ),
)
