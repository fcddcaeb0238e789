"""Hall through the same lossy way as the approximate videos, to show how much that way changes the figures."""

from ..data_file import DataFile
from ..dataset import Dataset
from ..qcif_video import H264, LICENCE, SHAPE, SOURCE, made_from_h264

DATASET = Dataset(
    name="hall_h264_control",
    title="Hall (H.264)",
    kind="video",
    shape=SHAPE,
    source=SOURCE,
    licence=LICENCE,
    how_to_get=f"To get it, {made_from_h264('hall_monitor_cif', 'hall_qcif_h264_control.npz')}",
    files=(
        DataFile(
            "hall_qcif_h264_control.npz",
            sha256="19362a195b63dcdbaff10cf5c8208526524c368993250051d0da90d44d38d097",
            approximate=H264,
        ),
    ),
)
