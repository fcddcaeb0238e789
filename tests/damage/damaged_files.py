"""A thousand damaged files of all formats, the same ones for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import any_damage
import byte_damage
import frames_damage
import hdf5_damage
import matlab_damage
import numpy as np
import numpy_damage
import picture_damage
import table_damage
import tiff_damage
import video_damage
import volume_damage
import zarr_damage
from damaged import Damaged, Sound
from pickles import Marker


@dataclass(frozen=True)
class Family:
    """What is damaged in the same ways."""

    name: str
    sounds: Callable[[], tuple[Sound, ...]]
    crafted: Callable[[np.random.Generator, Marker], Iterator[Damaged]]
    bytes: int
    """How many files have damaged bytes; all that are crafted come besides."""


FAMILIES = (
    Family("npy", numpy_damage.npy_sounds, numpy_damage.npy_crafted, 12),
    Family("npz", numpy_damage.npz_sounds, numpy_damage.npz_crafted, 12),
    Family("png", picture_damage.png_sounds, picture_damage.png_crafted, 18),
    Family("jpeg", picture_damage.jpeg_sounds, picture_damage.jpeg_crafted, 12),
    Family("gif", picture_damage.gif_sounds, picture_damage.gif_crafted, 12),
    Family("bmp", picture_damage.bmp_sounds, picture_damage.bmp_crafted, 6),
    Family("webp", picture_damage.webp_sounds, picture_damage.webp_crafted, 8),
    Family("tiff", tiff_damage.tiff_sounds, tiff_damage.tiff_crafted, 21),
    Family("frames", frames_damage.frames_sounds, frames_damage.frames_crafted, 10),
    Family("lossless video", video_damage.lossless_sounds, video_damage.lossless_crafted, 20),
    Family("mp4", video_damage.mp4_sounds, video_damage.mp4_crafted, 12),
    Family("raw video", video_damage.raw_sounds, video_damage.raw_crafted, 8),
    Family("matlab", matlab_damage.matlab_sounds, matlab_damage.matlab_crafted, 15),
    Family("matlab 7.3", hdf5_damage.newest_matlab_sounds, hdf5_damage.newest_matlab_crafted, 8),
    Family("hdf5", hdf5_damage.hdf5_sounds, hdf5_damage.hdf5_crafted, 15),
    Family("envi", volume_damage.envi_sounds, volume_damage.envi_crafted, 10),
    Family("nifti", volume_damage.nifti_sounds, volume_damage.nifti_crafted, 12),
    Family("zarr", zarr_damage.zarr_sounds, zarr_damage.zarr_crafted, 12),
    Family("zarr in a zip file", zarr_damage.zarr_zip_sounds, zarr_damage.zarr_zip_crafted, 8),
    Family("csv", table_damage.csv_sounds, table_damage.csv_crafted, 9),
    Family("tns", table_damage.frostt_sounds, table_damage.frostt_crafted, 8),
    Family("parquet", table_damage.parquet_sounds, table_damage.parquet_crafted, 8),
)


_LARGE, _DUST, _BOMB = "declares an array of", "too many to read", "made to fill the memory"
_OUTSIDE, _PICKLED = "leads out of", "holds Python objects"
_NO_LINKS = "lie in other files or datasets, which are not followed"
SAYS = {
    "npy with a shape that is too large": _LARGE,
    "npy of objects": _PICKLED,
    "npz of objects": _PICKLED,
    "npz of several arrays": "should hold one array of numbers, or one called 'data'",
    "npz with a member ../../data.npy": _OUTSIDE,
    "npz with a mask of another shape": "must have the shape of 'data', (6, 5, 4). Got (5, 6, 4) instead",
    "npz with a mask of numbers": "must hold a boolean array, True where the value is known. Got float64 instead",
    "mat too large": _LARGE,
    "hdf5 too large": _LARGE,
    "hdf5 of dust": _DUST,
    "hdf5 with a bomb in it": "damaged",
    "hdf5 whose values are elsewhere": _NO_LINKS,
    "hdf5 that is virtual": _NO_LINKS,
    "hdf5 packed by an unknown filter": "packed by a filter that is not installed",
    "zarr too large": _LARGE,
    "zarr negative": "damaged",
    "zarr with vast pieces": _LARGE,
    "zarr packed by a pickle": "packed by the codec 'numcodecs.pickle', which is not used here",
    "zarr 2 packed by a pickle": "packed by the codec 'pickle'",
    "zarr 2 with a filter that unpickles": "packed by the codec 'pickle'",
    "zarr 2 of dust": _DUST,
    "zarr with a piece that is a link": _OUTSIDE,
    "zarr with a folder that is a link": _OUTSIDE,
    "zarr with a piece that is a pipe": "is not an ordinary file",
    "zarr with a piece of no bytes": "damaged",
    "zarr of no files": "The arrays in it are: none",
    "zarr zip with ../../evil": _OUTSIDE,
    "envi with samples -5": "must be a whole number of 0 or more",
    "envi with interleave bsx": "must have 'interleave' bsq, bil or bip",
    "envi with data type 6": "must hold real numbers",
    "envi with data type 7": "which ENVI does not know",
    "envi that is packed": "which is not read here: store the cube plainly",
    "envi with a brace that is not closed": "has no end",
    "envi with too many bytes": "must have 240 bytes, as a.hdr says",
    "envi whose file is elsewhere": "are not there: looked for a.img, a.dat, a.raw and the like beside it",
    "csv bomb": _BOMB,
    "tns of another number of entries": "whole ones are there: it is cut short",
    "tns of vast modes": _LARGE,
    "tns bomb": _BOMB,
    "parquet bomb of rows": _LARGE,
}
"""Words of the sentence about some of those that are crafted."""


def damaged_files(seed: int, count: int, marker: Marker) -> Iterator[tuple[str, Damaged]]:
    """That many, each with the family it belongs to; those beyond what families have got a wrong extension."""
    rng = np.random.default_rng(seed)
    sounds: list[Sound] = []
    found: list[tuple[str, Damaged]] = [("any", damaged) for damaged in any_damage.everywhere(rng, marker)]
    for family in FAMILIES:
        own = family.sounds()
        sounds += own
        found += [(family.name, damaged) for damaged in family.crafted(rng, marker)]
        with_bytes = [sound for sound in own if sound.checked or sound.cuts]
        broken = islice(byte_damage.damages(tuple(with_bytes), rng), family.bytes)
        found += [(family.name, damaged) for damaged in broken]
    left = any_damage.misnamed(tuple(sounds), rng)
    found += [("misnamed", next(left)) for _ in range(count - len(found))]
    yield from found[:count]
