"""Every format there is. The first one with a matching extension is taken. Adding one is a file and a line here."""

from __future__ import annotations

from importlib import import_module

from .format import Format

_LISTED = (
    "arrays.numpy_files:NumpyArray",
    "arrays.numpy_files:NumpyArchive",
    "pictures.png:Png",
    "pictures.by_pillow:Jpeg",
    "pictures.tiff:Tiff",
    "pictures.gif:Gif",
    "pictures.by_pillow:Bmp",
    "pictures.by_pillow:Webp",
    "videos.containers:Mkv",
    "videos.containers:Mp4",
    "videos.containers:Avi",
    "videos.containers:Y4m",
    "videos.raw_yuv:Yuv",
    "pictures.frames:Frames",
    "arrays.matlab:Matlab",
    "arrays.hdf5:Hdf5",
    "arrays.envi:Envi",
    "arrays.nifti:Nifti",
    "arrays.zarr_store:ZarrZip",
    "arrays.zarr_store:Zarr",
    "tables.csv_table:CsvTable",
    "tables.frostt:Frostt",
    "tables.parquet_table:ParquetTable",
)
"""MODULE:CLASS, modules of this package."""


def _load(entry: str) -> Format:
    module, name = entry.split(":")
    found: Format = getattr(import_module(f".{module}", __package__), name)()
    return found


FORMATS: tuple[Format, ...] = tuple(map(_load, _LISTED))
