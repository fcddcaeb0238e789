"""Every format there is. The first one with a matching extension is taken."""

from .arrays.envi import Envi
from .arrays.hdf5 import Hdf5
from .arrays.matlab import Matlab
from .arrays.nifti import Nifti
from .arrays.numpy_files import NumpyArchive, NumpyArray
from .arrays.zarr_store import Zarr, ZarrZip
from .format import Format
from .pictures.bmp_and_webp import Bmp, Webp
from .pictures.frames import Frames
from .pictures.gif import Gif
from .pictures.jpeg import Jpeg
from .pictures.png import Png
from .pictures.tiff import Tiff
from .tables.csv_table import CsvTable
from .tables.frostt import Frostt
from .tables.parquet_table import ParquetTable
from .videos.containers import Avi, Mkv, Mp4, Y4m
from .videos.raw_yuv import Yuv

FORMATS: tuple[Format, ...] = (
    NumpyArray(),
    NumpyArchive(),
    Png(),
    Jpeg(),
    Tiff(),
    Gif(),
    Bmp(),
    Webp(),
    Mkv(),
    Mp4(),
    Avi(),
    Y4m(),
    Yuv(),
    Frames(),
    Matlab(),
    Hdf5(),
    Envi(),
    Nifti(),
    ZarrZip(),
    Zarr(),
    CsvTable(),
    Frostt(),
    ParquetTable(),
)
