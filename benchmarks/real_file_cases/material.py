"""What is damaged: pictures, clips, a cube, a scan and counts, shipped with libraries or real ones from a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def shipped() -> Material:
    """Photos, heights, a scan and counts that come with libraries."""
    import matplotlib
    import nibabel

    data, transform = library("skimage.data"), library("skimage.transform")
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


def library(name: str) -> Any:
    """A module without types."""
    return import_module(name)


def panned(photo: Data, rows: int, columns: int, frames: int) -> Data:
    """(row, column, frame[, channel]): a camera that moves over a photo from left to right and comes nearer."""
    transform = library("skimage.transform")
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
