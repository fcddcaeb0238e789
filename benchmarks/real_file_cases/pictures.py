"""Pictures: dead pixels, and text over a photo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .case import HOLE, Case, colours, shades, widened
from .material import Data, Mask, Material


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


def _alpha_kept(found: Any, known: Mask, alpha: Data) -> bool:
    return bool(np.array_equal(found.metadata.alpha, np.where(known, alpha, 255)))
