"""Damage a real file of every kind, complete it from the command line, and check what comes out.

python benchmarks/real_files.py [--data DIR] [--only NAME,NAME] [--keep-files DIR] [--write]

The pictures, scans and counts come with libraries that the tests need anyway; docs/files.md names them. Clips are a
slow pan and zoom over a photo, the cube is mixed from a photo's colours. With --data, clips, cube and counts are real
ones from there instead. --write makes the pictures of docs/files.md, never from --data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorfill import formats, metrics
from tensorfill.cli.side_by_side import side_by_side

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
RATE = Fraction(30000, 1001)
HOLE = np.array([255, 0, 255], dtype=np.uint8)
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
# Passengers of international airlines, in thousands, 1949 to 1960 (Box and Jenkins, Time Series Analysis, series G).
PASSENGERS = """
112 118 132 129 121 135 148 148 136 119 104 118  115 126 141 135 125 149 170 170 158 133 114 140
145 150 178 163 172 178 199 199 184 162 146 166  171 180 193 181 183 218 230 242 209 191 172 194
196 196 236 235 229 243 264 272 237 211 180 201  204 188 235 227 234 264 302 293 259 229 203 229
242 233 267 269 270 315 364 347 312 274 237 278  284 277 317 313 318 374 413 405 355 306 271 306
315 301 356 348 355 422 465 467 404 347 305 336  340 318 362 348 363 435 491 505 404 359 310 337
360 342 406 396 420 472 548 559 463 407 362 405  417 391 419 461 472 535 622 606 508 461 390 432
"""

Data = NDArray[Any]
Mask = NDArray[np.bool_]
Checks = dict[str, bool]


@dataclass(frozen=True)
class Material:
    """What there is to damage."""

    heights: Data
    """16-bit, one channel."""
    photo: Data
    gray_clip: Data
    colour_clip: Data
    cube: Data
    wavelengths: tuple[float, ...]
    scan: Path
    counts: Data
    labels: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A damaged file, how to complete it, and what must be so afterwards."""

    name: str
    damage: str
    truth: Data
    known: Mask
    command: tuple[str, ...]
    output: Path
    given: Data | None = None
    """What the damaged file holds, where that is not the truth: a lossy one."""
    reading: dict[str, Any] = field(default_factory=dict)
    check: Callable[[Any], Checks] = lambda found: {}
    view: Callable[[Data], Data] | None = None
    """What of the data is shown in the documentation, as 8 bits."""


# What is damaged


def shipped() -> Material:
    """Photos, heights, a scan and counts that come with libraries."""
    import matplotlib
    import nibabel

    data, transform = _library("skimage.data"), _library("skimage.transform")
    with np.load(Path(matplotlib.__file__).parent / "mpl-data" / "sample_data" / "jacksboro_fault_dem.npz") as file:
        heights = file["elevation"].astype(np.uint16)
    cat, rocket = data.chelsea(), data.rocket()
    small = transform.resize(cat, (150, 226), anti_aliasing=True)
    waves = tuple(float(wave) for wave in range(400, 701, 20))
    return Material(
        heights=heights,
        photo=data.coffee()[:, 100:500],
        gray_clip=panned(data.coffee().mean(axis=2), 120, 160, 30),
        colour_clip=panned(rocket, 96, 128, 20),
        cube=np.rint(small @ _responses(waves) * 60_000).astype(np.uint16),
        wavelengths=waves,
        scan=Path(nibabel.__file__).parent / "tests" / "data" / "example4d.nii.gz",
        counts=np.array(PASSENGERS.split(), dtype=np.int64).reshape(12, 12),
        labels=(tuple(f"year {year}" for year in range(1949, 1961)), MONTHS),
        columns=("year", "month", "passengers"),
    )


def from_folder(folder: Path, material: Material) -> Material:
    """The real clip, cube, photo and counts of a folder in place of those made up."""
    from PIL import Image

    clip, cube, counts = (np.load(folder / f"{name}.npz")["data"] for name in ("hall_qcif", "cave_a", "hangzhou_metro"))
    stations, days, slots = counts.shape
    return Material(
        heights=cube[:, :, 15],
        photo=np.asarray(Image.open(folder / "splash_512.png").convert("RGB")),
        gray_clip=clip[:, :, :60],
        colour_clip=material.colour_clip,
        cube=cube,
        wavelengths=tuple(float(wave) for wave in range(400, 701, 10)),
        scan=material.scan,
        counts=counts.astype(np.int64),
        labels=(
            tuple(f"station-{index + 1:02}" for index in range(stations)),
            tuple(f"day-{index + 1:02}" for index in range(days)),
            tuple(f"slot-{index + 1:03}" for index in range(slots)),
        ),
        columns=("station", "day", "slot", "count"),
    )


def _library(name: str) -> Any:
    """A module without types."""
    return import_module(name)


def panned(photo: Data, rows: int, columns: int, frames: int) -> Data:
    """(row, column, frame[, channel]): a camera that moves over a photo from left to right and comes nearer."""
    transform = _library("skimage.transform")
    height, width = photo.shape[:2]
    shown = []
    for frame in range(frames):
        along = frame / max(1, frames - 1)
        tall = height * (0.9 - 0.2 * along)
        wide = tall * columns / rows
        top, left = (height - tall) * (0.3 + 0.3 * along), (width - wide) * (0.2 + 0.6 * along)
        move = transform.AffineTransform(scale=(wide / columns, tall / rows), translation=(left, top))
        smooth = transform.warp(photo / 255.0, move, output_shape=(rows, columns), order=3, mode="edge")
        shown.append(np.rint(np.clip(smooth, 0, 1) * 255).astype(np.uint8))
    return np.stack(shown, axis=2)


def _responses(waves: Sequence[float]) -> Data:
    """How much of red, green and blue is in every band: bells around 610, 540 and 460 nm."""
    centres = np.array([[610.0], [540.0], [460.0]])
    bells = np.exp(-(((np.asarray(waves) - centres) / 55) ** 2))
    mixed: Data = bells / bells.sum(axis=0).max()
    return mixed


# How it is damaged


def cases(material: Material, folder: Path) -> list[Callable[[], Case]]:
    """Every kind of file, each made when it is called."""
    return [
        lambda make=make: make(material, folder)  # type: ignore[misc]
        for make in (
            tiff_with_dead_pixels,
            png_with_erased_text,
            png_with_coloured_text,
            gray_mp4,
            colour_mp4,
            envi_with_dead_bands,
            matlab_73,
            nifti_volume,
            csv_of_counts,
            gif_clip,
            folder_of_frames,
            y4m_clip,
            raw_yuv,
            zarr_cube,
            parquet_table,
            tns_table,
        )
    ]


def tiff_with_dead_pixels(material: Material, folder: Path) -> Case:
    """Dead pixels and a dead column are 0."""
    import tifffile

    truth = material.heights
    known = np.random.default_rng(0).random(truth.shape) > 0.05
    known[:, truth.shape[1] // 2] = False
    tifffile.imwrite(folder / "dem.tif", np.where(known, truth, 0).astype(np.uint16), resolution=(300, 300))
    return Case(
        "tiff",
        "16-bit TIFF: 5 % dead pixels and a dead column",
        truth,
        known & (truth != 0),
        ("dem.tif", "--missing", "0"),
        folder / "dem-filled.tif",
        view=lambda data: shades(data, truth),
        check=lambda found: {"16 bits": found.dtype == np.uint16},
    )


def png_with_erased_text(material: Material, folder: Path) -> Case:
    """Somebody wrote over the photo, and somebody else has rubbed the writing out."""
    from PIL import Image

    truth = material.photo
    known = ~written("tensorfill", truth.shape[:2], 3)
    alpha = np.where(known, 255, 0).astype(np.uint8)
    alpha[-20:, -20:] = 128  # a corner that is half transparent, and known
    Image.fromarray(np.dstack([np.where(known[..., None], truth, 0), alpha])).save(folder / "erased.png")
    return Case(
        "png-alpha",
        "PNG: text rubbed out, transparent there",
        truth,
        colours(known),
        ("erased.png",),
        folder / "erased-filled.png",
        check=lambda found: {"alpha kept": _alpha_kept(found, known, alpha)},
        view=lambda data: data,
    )


def png_with_coloured_text(material: Material, folder: Path) -> Case:
    """The writing is in a colour that is nowhere else."""
    from PIL import Image

    truth = material.photo
    known = ~written("2024-11-16", truth.shape[:2], 1)
    Image.fromarray(np.where(known[..., None], truth, HOLE)).save(folder / "stamped.png")
    return Case(
        "png-colour",
        "PNG: magenta text",
        truth,
        colours(known),
        ("stamped.png", "--missing", "255,0,255"),
        folder / "stamped-filled.png",
    )


def gray_mp4(material: Material, folder: Path) -> Case:
    """Scratches that stay where they are, and two frames that are gone."""
    truth = material.gray_clip
    save_video(folder / "clean.mp4", truth)
    tensorfill(
        folder, "hide", "clean.mp4", "-o", "holes.mkv", "--pattern", "scratches", "--keep", "0.95",
        "--write-mask", "scratches.png",
    )  # fmt: skip
    scratches = formats.read_contents(folder / "scratches.png").data == 0
    damaged = np.where(scratches[..., None], 255, truth).astype(np.uint8)
    dead = [10, 11]
    damaged[:, :, dead] = 0
    save_video(folder / "scratched.mp4", damaged)
    grown = widened(scratches)  # the codec blurs scratches into what is beside them
    formats.write(folder / "mask.png", formats.Contents(grown.astype(np.uint8) * np.uint8(255)))
    known = np.broadcast_to(~grown[..., None], truth.shape).copy()
    known[:, :, dead] = False
    return Case(
        "mp4-gray",
        "gray MP4: scratches, two dead frames",
        truth,
        known,
        ("scratched.mp4", "--mask", "mask.png", "--mask-means", "missing", "--missing-frames", "10-11"),
        folder / "scratched-filled.mkv",
        given=formats.read_contents(folder / "scratched.mp4").data,
        check=lambda found: {"frame rate": found.metadata.frame_rate == RATE},
        view=lambda data: np.hstack([gray_rgb(data[:, :, 3]), gray_rgb(data[:, :, 10])]),
    )


def colour_mp4(material: Material, folder: Path) -> Case:
    """Scratches that move from frame to frame, and two frames that are gone."""
    truth = material.colour_clip
    rows, columns, frames = truth.shape[:3]
    scratches = np.zeros((rows, columns, frames), dtype=bool)
    rng = np.random.default_rng(1)
    for frame in range(frames):
        for middle in rng.integers(columns // 8, columns - columns // 8, 3):
            lean = rng.uniform(-0.05, 0.05)
            at = np.clip(np.rint(middle + lean * np.arange(rows)).astype(int), 0, columns - 1)
            scratches[np.arange(rows), at, frame] = True
    damaged = np.where(scratches[..., None], 240, truth).astype(np.uint8)
    dead = [6, 13]
    damaged[:, :, dead] = 0
    save_video(folder / "film.mp4", damaged)
    grown = widened(scratches)
    formats.write(
        folder / "film-mask.mkv",
        formats.Contents(grown.astype(np.uint8) * np.uint8(255), metadata=formats.Metadata(kind="video")),
    )
    known = ~grown
    known[:, :, dead] = False
    return Case(
        "mp4-colour",
        "colour MP4: moving scratches, two dead frames",
        truth,
        colours(known),
        ("film.mp4", "--mask", "film-mask.mkv", "--mask-means", "missing", "--missing-frames", "6,13"),
        folder / "film-filled.mkv",
        given=formats.read_contents(folder / "film.mp4").data,
        check=lambda found: {"frame rate": found.metadata.frame_rate == RATE},
        view=lambda data: np.hstack([data[:, :, 3], data[:, :, 6]]),
    )


def envi_with_dead_bands(material: Material, folder: Path) -> Case:
    """Two bands of the camera are dead."""
    envi = _library("spectral.io.envi")
    truth, waves = material.cube, material.wavelengths
    dead = [4, 11]
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, dead] = False
    names = [f"band at {wave:g} nm" for wave in waves]
    header = {"wavelength": [str(wave) for wave in waves], "wavelength units": "nm", "band names": names}
    envi.save_image(
        str(folder / "cube.hdr"), np.where(known, truth, 0).astype(np.uint16), metadata=header, interleave="bil"
    )
    return Case(
        "envi",
        "ENVI cube: two dead bands",
        truth,
        known,
        ("cube.hdr", "--missing-bands", "4,11"),
        folder / "cube-filled.hdr",
        check=lambda found: {
            "wavelengths": found.metadata.wavelengths == waves,
            "band names": list(found.metadata.band_names) == names,
            "opens in spectral": np.array_equal(
                np.asarray(envi.open(str(folder / "cube-filled.hdr")).load(dtype=np.uint16)), found.data
            ),
        },
        view=lambda data: np.hstack([shades(data[:, :, 3], truth), shades(data[:, :, 4], truth)]),
    )


def matlab_73(material: Material, folder: Path) -> Case:
    """A variable of doubles in which NaN is missing, as MATLAB's save -v7.3 stores it."""
    h5py = _library("h5py")
    truth = (material.cube / 65535.0)[::2, ::2]
    known = np.random.default_rng(2).random(truth.shape) < 0.3
    path = folder / "cube.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        variable = file.create_dataset("reflectances", data=np.where(known, truth, np.nan).T)
        variable.attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Nov 16 2026".ljust(124) + b"\x00\x02IM")
    return Case(
        "mat-7.3",
        ".mat of version 7.3: 70 % NaN",
        truth,
        known,
        ("cube.mat",),
        folder / "cube-filled.mat",
        check=lambda found: {
            "doubles": found.dtype == np.float64,
            "name": found.metadata.variable == "reflectances",
            "still 7.3": (folder / "cube-filled.mat").read_bytes()[:10] == b"MATLAB 7.3",
        },
        view=lambda data: np.kron(gray_rgb(shades(data[:, :, 8], truth)), np.ones((2, 2, 1), np.uint8)),
    )


def nifti_volume(material: Material, folder: Path) -> Case:
    """A slice of the scan is dead, and a ball where the signal was lost."""
    nibabel = _library("nibabel")
    scan = nibabel.load(material.scan)
    truth = np.asarray(scan.dataobj)[..., 0].astype(np.int16)
    places = np.indices(truth.shape) - np.array([60, 30, 12]).reshape(3, 1, 1, 1)
    lost = np.square(places * np.array([1, 1, 2.2]).reshape(3, 1, 1, 1)).sum(axis=0) < 9**2
    known = ~lost
    known[:, :, 14] = False
    image = nibabel.Nifti1Image
    image(np.where(known, truth, 0).astype(np.int16), scan.affine).to_filename(folder / "brain.nii.gz")
    image(lost.astype(np.uint8), scan.affine).to_filename(folder / "lost.nii.gz")
    return Case(
        "nifti",
        "NIfTI scan: a dead slice, a ball without signal",
        truth,
        known,
        ("brain.nii.gz", "--mask", "lost.nii.gz", "--mask-means", "missing", "--missing-bands", "14"),
        folder / "brain-filled.nii.gz",
        check=lambda found: {
            "affine": np.array_equal(found.metadata.affine, scan.affine),
            "opens in nibabel": np.array_equal(
                np.asarray(nibabel.load(folder / "brain-filled.nii.gz").dataobj),
                found.data,
            ),
        },
        view=lambda data: np.hstack([shades(np.rot90(data[:, :, 12]), truth), shades(np.rot90(data[:, :, 14]), truth)]),
    )


def csv_of_counts(material: Material, folder: Path) -> Case:
    """Counts with words for coordinates; of the missing ones, some rows have no value and some are not there."""
    known = counted(material)
    rows = [",".join(material.columns)]
    for number, place in enumerate(np.ndindex(*material.counts.shape)):
        value = str(material.counts[place]) if known[place] else ""
        if value or number % 2:
            rows.append(",".join((*_named(material, place), value)))
    (folder / "counts.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return Case(
        "csv",
        "CSV of counts with words for coordinates",
        material.counts,
        known,
        ("counts.csv",),
        folder / "counts-filled.csv",
        check=lambda found: _labels_kept(found, material),
        view=(lambda data: np.kron(shades(data, material.counts), np.ones((16, 16), np.uint8)))
        if material.counts.ndim == 2
        else None,
    )


def gif_clip(material: Material, folder: Path) -> Case:
    """Three dead frames."""
    from PIL import Image

    truth = material.gray_clip[:, :, :20]
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, [4, 9, 13]] = False  # not side by side: Pillow makes one frame of two that are alike
    frames = [Image.fromarray(frame) for frame in np.moveaxis(np.where(known, truth, 0).astype(np.uint8), 2, 0)]
    frames[0].save(folder / "clip.gif", save_all=True, append_images=frames[1:], duration=40, loop=0)
    return Case(
        "gif",
        "GIF: three dead frames",
        truth,
        known,
        ("clip.gif", "--missing-frames", "4,9,13"),
        folder / "clip-filled.gif",
        check=lambda found: {"frame rate": found.metadata.frame_rate == 25},
    )


def folder_of_frames(material: Material, folder: Path) -> Case:
    """Two numbers are not there."""
    from PIL import Image

    truth = material.colour_clip[:, :, :12]
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, [3, 7]] = False
    (folder / "frames").mkdir()
    for frame in range(truth.shape[2]):
        if known[0, 0, frame, 0]:
            Image.fromarray(truth[:, :, frame]).save(folder / "frames" / f"shot_{frame + 1:04}.png")
    return Case(
        "frames",
        "folder of frames: two are not there",
        truth,
        known,
        ("frames", "--output-format", "frames"),
        folder / "frames-filled",
        reading={"format": "frames"},
        check=lambda found: {
            "names": sorted(file.name for file in (folder / "frames-filled").iterdir())
            == [f"shot_{frame + 1:04}.png" for frame in range(truth.shape[2])]
        },
    )


def y4m_clip(material: Material, folder: Path) -> Case:
    """Every entry of a gray clip is missing with probability 0.7; the mask is an array."""
    truth = material.gray_clip[:, :, :20]
    rows, columns, frames = truth.shape
    known = np.random.default_rng(3).random(truth.shape) < 0.3
    head = f"YUV4MPEG2 W{columns} H{rows} F30000:1001 Ip A1:1 Cmono\n".encode()
    body = b"".join(b"FRAME\n" + np.where(known, truth, 0)[:, :, frame].tobytes() for frame in range(frames))
    (folder / "clip.y4m").write_bytes(head + body)
    np.save(folder / "known.npy", known)
    return Case(
        "y4m",
        "gray Y4M: 70 % missing, mask in .npy",
        truth,
        known,
        ("clip.y4m", "--observed", "known.npy"),
        folder / "clip-filled.y4m",
        check=lambda found: {"frame rate": found.metadata.frame_rate == RATE},
    )


def raw_yuv(material: Material, folder: Path) -> Case:
    """Raw frames of gray with neutral colour, one of them dead."""
    truth = material.gray_clip[:, :, :20]
    rows, columns, frames = truth.shape
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, 8] = False
    neutral = bytes([128]) * (rows * columns // 2)
    left = np.where(known, truth, 0).astype(np.uint8)
    (folder / "clip.yuv").write_bytes(b"".join(left[:, :, frame].tobytes() + neutral for frame in range(frames)))
    return Case(
        "yuv",
        "raw YUV: a dead frame",
        truth,
        known,
        ("clip.yuv", "--size", f"{columns}x{rows}", "--missing-frames", "8"),
        folder / "clip-filled.yuv",
        reading={"size": (columns, rows)},
        check=lambda found: {"length": (folder / "clip-filled.yuv").stat().st_size == rows * columns * frames * 3 // 2},
    )


def zarr_cube(material: Material, folder: Path) -> Case:
    """NaN in single precision, in chunks."""
    import zarr

    truth = (material.cube / 65535.0)[::2, ::2].astype(np.float32)
    known = np.random.default_rng(4).random(truth.shape) < 0.5
    array: Any = zarr.create_array(
        str(folder / "cube.zarr"), shape=truth.shape, chunks=(32, 32, 8), dtype="float32", attributes={"units": "1"}
    )
    array[:] = np.where(known, truth, np.float32(np.nan))
    return Case(
        "zarr",
        "Zarr: 50 % NaN",
        truth,
        known,
        ("cube.zarr",),
        folder / "cube-filled.zarr",
        check=lambda found: {
            "opens in zarr": np.array_equal(zarr.open_array(str(folder / "cube-filled.zarr"), mode="r")[:], found.data)
        },
    )


def parquet_table(material: Material, folder: Path) -> Case:
    """The counts again; missing rows are not there."""
    import polars

    known = counted(material)
    places = np.argwhere(known)
    columns: dict[str, Any] = {
        name: [material.labels[mode][index] for index in places[:, mode]]
        for mode, name in enumerate(material.columns[:-1])
    }
    columns[material.columns[-1]] = material.counts[known].astype(np.int32)
    polars.DataFrame(columns).write_parquet(folder / "counts.parquet")
    return Case(
        "parquet",
        "Parquet of counts with words for coordinates",
        material.counts.astype(np.int32),
        known,
        ("counts.parquet",),
        folder / "counts-filled.parquet",
        check=lambda found: _labels_kept(found, material),
    )


def tns_table(material: Material, folder: Path) -> Case:
    """Ink in scanned digits, counted in boxes: image × row × column."""
    from sklearn.datasets import load_digits

    truth = load_digits().images[:300].astype(np.int64)
    known = np.random.default_rng(5).random(truth.shape) < 0.5
    rows = [" ".join(map(str, (*(place + 1), truth[tuple(place)]))) for place in np.argwhere(known)]
    with gzip.open(folder / "digits.tns.gz", "wt") as file:
        file.write("# ink in boxes\n" + "\n".join(rows) + "\n")
    return Case(
        "tns",
        ".tns.gz of counts: 50 % not there",
        truth,
        known,
        ("digits.tns.gz",),
        folder / "digits-filled.tns.gz",
    )


# Parts of damage and of pictures


def colours(known: Mask) -> Mask:
    """The mask for three channels."""
    return np.repeat(known[..., None], 3, axis=-1)


def counted(material: Material) -> Mask:
    """Which counts are known: four of five."""
    return np.random.default_rng(6).random(material.counts.shape) < 0.8


def written(text: str, shape: tuple[int, ...], lines: int) -> Mask:
    """True where the text stands, the same in every line."""
    from PIL import Image, ImageDraw, ImageFont

    sheet = Image.new("L", (shape[1], shape[0]))
    draw = ImageDraw.Draw(sheet)
    size = shape[1] * 1.6 / len(text) if lines > 1 else shape[1] / 14
    for line in range(lines):
        where = (shape[1] * 0.04, (line + (0.2 if lines > 1 else 0.85)) * shape[0] / lines)
        draw.text(where, text, fill=255, font=ImageFont.load_default(size))
    return widened(np.asarray(sheet) > 0)


def widened(mask: Mask) -> Mask:
    """One pixel more on every side, along rows and columns."""
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    also = wide.copy()
    also[:, 1:] |= wide[:, :-1]
    also[:, :-1] |= wide[:, 1:]
    return also


def shades(data: Data, truth: Data) -> Data:
    """As 8 bits, from the smallest value of the truth to its largest."""
    low, high = float(truth.min()), float(truth.max())
    return np.rint(np.clip((data - low) / (high - low), 0, 1) * 255).astype(np.uint8)


def gray_rgb(data: Data) -> Data:
    """Three channels, whatever there was."""
    return data if data.ndim == 3 else np.repeat(data[..., None], 3, axis=2)


def save_video(path: Path, clip: Data) -> None:
    """H.264 as a camera would write it: good quality, half the resolution for colour."""
    import av

    colour = clip.ndim == 4
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=RATE, options={"crf": "16"})
        stream.height, stream.width, stream.pix_fmt = *clip.shape[:2], "yuv420p" if colour else "gray"
        for frame in np.moveaxis(clip, 2, 0):
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24" if colour else "gray")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def _named(material: Material, place: Sequence[int]) -> list[str]:
    return [own[index] for own, index in zip(material.labels, place, strict=True)]


def _labels_kept(found: Any, material: Material) -> Checks:
    return {
        "labels": all(set(own) == set(told) for own, told in zip(material.labels, found.labels, strict=True)),
        "columns": tuple(found.columns) == material.columns,
    }


def _alpha_kept(found: Any, known: Mask, alpha: Data) -> bool:
    return bool(np.array_equal(found.metadata.alpha, np.where(known, alpha, 255)))


# Running


@dataclass(frozen=True)
class Ran:
    """What a command took."""

    seconds: float
    megabytes: float
    code: int
    output: str
    errors: str


def tensorfill(folder: Path, *words: str) -> Ran:
    """Run the command line as a user would, and watch its time and memory."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([sys.executable, "-m", "tensorfill", *words], cwd=folder, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        for file in (out, err):
            file.seek(0)
        told, errors = out.read().decode(), err.read().decode()
    return Ran(seconds, usage.ru_maxrss / 1024, process.returncode, told, errors)


def arranged(found: Any, material: Material, shape: tuple[int, ...]) -> Data:
    """A completed table as an array, in the order of the truth's labels, whatever order the table has."""
    if isinstance(found, formats.Contents):
        return found.data
    data: Data = found.contents().data
    for mode, told in enumerate(found.labels):
        if told is not None and data.shape == material.counts.shape == shape:
            own = material.labels[mode]
            data = np.take(data, [list(told).index(label) for label in own], axis=mode)
    return data


def examined(case: Case, material: Material, folder: Path) -> tuple[list[str], Data | None]:
    """Complete, check, and return the line of the table and what was found."""
    ran = tensorfill(folder, "complete", *case.command, "-o", case.output.name, "--json")
    took = [f"{ran.seconds:.1f} s", f"{ran.megabytes:.0f} MB"]
    missing = f"{1 - case.known.mean():.1%}"
    if ran.code:
        return [case.damage, "×".join(map(str, case.truth.shape)), missing, "–", "–", *took, ran.errors.strip()], None
    found = formats.read(case.output, **case.reading)
    data = arranged(found, material, case.truth.shape)
    given = case.truth if case.given is None else case.given
    checks = {
        "shape": data.shape == case.truth.shape,
        "dtype": data.dtype == given.dtype,
    }
    if checks["shape"]:
        checks["known kept"] = bool(np.array_equal(data[case.known], given[case.known]))
        checks |= case.check(found)
    error = metrics.score(case.truth, data, case.known) if checks["shape"] else None
    failed = [name for name, good in checks.items() if not good]
    told = "all of " + ", ".join(checks) if not failed else "NOT " + ", ".join(failed)
    errors = ["–", "–"] if error is None else [f"{error.rmse_unobserved:.4f}", f"{error.psnr:.1f} dB"]
    how = json.loads(ran.output[ran.output.index("{") :])["stop"]["sentence"]
    return [case.damage, "×".join(map(str, case.truth.shape)), missing, *errors, *took, told, how], data


def draw(case: Case, data: Data) -> None:
    """Before, after and truth next to each other, for the documentation."""
    assert case.view is not None
    given = case.truth if case.given is None else case.given
    holes = case.view(np.where(case.known, 255, 0).astype(np.uint8) if given.dtype == np.uint8 else _white(case))
    before = gray_rgb(case.view(given)).copy()
    before[gray_rgb(holes).min(axis=2) == 0] = HOLE
    after, truth = gray_rgb(case.view(data)), gray_rgb(case.view(case.truth))
    sheet = side_by_side({"before: missing is magenta": before, "after": after, "truth": truth})
    target = PICTURES / f"files-{case.name}.png"
    formats.write(target, formats.Contents(sheet))
    print(f"   {target.name}: {sheet.shape[1]} × {sheet.shape[0]}, {target.stat().st_size / 1000:.0f} kB")


def _white(case: Case) -> Data:
    """An array that is shown white where the data is known, and black where it is not."""
    white: Data = np.where(case.known, case.truth.max(), case.truth.min())
    return white


def main() -> None:
    """Every case, one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with real clips, cubes and counts")
    parser.add_argument("--only", default="", help="some of the cases, by name")
    parser.add_argument("--keep-files", type=Path, help="leave the files in this folder")
    parser.add_argument("--write", action="store_true", help="make the pictures of docs/files.md")
    asked = parser.parse_args()
    if asked.write and asked.data:
        parser.error("--write makes pictures of what ships with libraries only; leave out --data")
    material = shipped() if asked.data is None else from_folder(asked.data.resolve(), shipped())
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep_files.resolve() if asked.keep_files else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        print("| file | shape | missing | RMSE at missing | PSNR | time | memory | kept |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        failures = 0
        for make in cases(material, folder):
            case = make()
            if asked.only and case.name not in asked.only.split(","):
                continue
            line, data = examined(case, material, folder)
            print(f"| {' | '.join(line)} |", flush=True)
            failures += data is None or "NOT " in line[7]
            if asked.write and case.view is not None and data is not None:
                draw(case, data)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
