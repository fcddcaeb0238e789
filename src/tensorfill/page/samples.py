"""Samples: a picture, a clip, a cube and a table to try things on, made or taken from the package."""

from __future__ import annotations

from importlib.resources import files as package_files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..formats import Contents, write
from ..formats.contents import Metadata

SAMPLES = {
    "cat": ("cat.png", "A photo of a cat"),
    "waves": ("waves.gif", "A short clip of waves"),
    "minerals": ("minerals.hdr", "A cube of 32 bands"),
    "temperatures": ("temperatures.csv", "A table with gaps"),
}
_CITIES = ("Bergen", "Cairo", "Dakar", "Hanoi", "Lagos", "Lima", "Nuuk", "Oslo", "Perth", "Quito", "Sapporo", "Turin")


def write_sample(name: str, folder: Path) -> Path:
    """Put the file of a sample into a folder."""
    if name not in SAMPLES:
        raise InvalidInput(f"There is no sample {name!r}. The samples are: {', '.join(SAMPLES)}.")
    path = folder / SAMPLES[name][0]
    if name == "cat":
        path.write_bytes((package_files("tensorfill.assets") / "cat.png").read_bytes())
    elif name == "waves":
        write(path, Contents(_draw_waves(), metadata=Metadata(kind="video")))
    elif name == "minerals":
        lengths = tuple(float(length) for length in np.linspace(420, 1040, 32).round())
        about = Metadata(kind="cube", wavelengths=lengths, wavelength_unit="Nanometers")
        write(path, Contents(_draw_minerals(), metadata=about))
    else:
        path.write_text(_write_temperatures(), encoding="utf-8")
    return path


def _draw_waves(size: tuple[int, int, int] = (96, 144, 48)) -> NDArray[np.uint8]:
    """Two trains of waves that cross, and a buoy among them."""
    rows, columns, frames = np.meshgrid(*(np.arange(count) for count in size), indexing="ij")
    phase = 2 * np.pi * frames / size[2]
    depth = 0.35 + 0.5 * rows / size[0]
    swell = np.sin(0.16 * columns + 0.22 * rows - 2 * phase) + 0.6 * np.sin(0.09 * columns - 0.3 * rows + 3 * phase)
    shades = 255 * (depth * 0.75 + 0.09 * swell * depth)
    height = 46 + 6 * np.sin(2 * phase)
    buoy = (rows - height) ** 2 + (columns - 90) ** 2 < 60
    return np.clip(np.where(buoy, 245, shades), 0, 255).astype(np.uint8)


def _draw_minerals(size: tuple[int, int, int] = (112, 128, 32)) -> NDArray[np.uint16]:
    """Four smooth fields, each with a spectrum of its own, and their shadows."""
    rng = np.random.default_rng(7)
    rows, columns = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]), indexing="ij")
    places, bands = rng.random((4, 2)), np.linspace(0, 1, size[2])
    near = np.stack([np.exp(-9 * ((rows - y) ** 2 + (columns - x) ** 2)) for y, x in places])
    veins = 1 + 0.25 * np.sin(24 * columns + 9 * np.sin(6 * rows))
    peaks, slopes = np.array([[0.0], [0.3], [0.6], [1.0]]), np.array([[0.0], [0.1], [0.2], [0.3]])
    spectra = 0.35 + 0.5 * np.exp(-12 * (bands - peaks) ** 2) + slopes * bands
    light = np.einsum("krc,kb->rcb", near * veins / near.sum(axis=0), spectra)
    return np.asarray(np.rint(4000 * light + rng.normal(0, 12, size)).clip(0), dtype=np.uint16)


def _write_temperatures() -> str:
    """Means of months in cities, a few of them never written down."""
    rng = np.random.default_rng(3)
    mean, swing = rng.uniform(8, 27, len(_CITIES)), rng.uniform(1, 12, len(_CITIES))
    months = [f"{year}-{month:02}" for year in (2022, 2023, 2024) for month in range(1, 13)]
    season = np.cos(2 * np.pi * (np.arange(len(months)) - 6.5) / 12)
    values = np.maximum(0.1, mean[:, None] + swing[:, None] * season + rng.normal(0, 0.7, (len(_CITIES), len(months))))
    lost = rng.random(values.shape) < 0.12
    lost[4, 14:21] = True
    lines = ["city," + ",".join(months)]
    for city, row, gone in zip(_CITIES, values, lost, strict=True):
        cells = ("" if missing else f"{value:.1f}" for value, missing in zip(row, gone, strict=True))
        lines.append(f"{city},{','.join(cells)}")
    return "\n".join(lines) + "\n"
