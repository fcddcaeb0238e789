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
