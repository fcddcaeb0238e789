"""Pictures as data addresses, small enough for one page: as they are where they are small, else as JPEG."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

BUDGET = 12 * 2**20
"""Bytes that all pictures of a page may take together; their text is a third longer."""


@dataclass(frozen=True)
class Economy:
    """From how many bytes on a picture becomes a JPEG, of which quality, and how large its sides may be."""

    lossless: int
    quality: int
    side: int


_STEPS = (Economy(120_000, 90, 1024), Economy(60_000, 84, 768), Economy(30_000, 76, 512), Economy(0, 60, 384))


def encoded(paths: Mapping[str, Path], budget: int = BUDGET) -> tuple[dict[str, str], bool]:
    """A data address for every picture, and whether any of them lost something; the first step within the budget."""
    found: dict[str, tuple[str, bytes]] = {}
    for step in _STEPS:
        found = {key: _encode(path, step) for key, path in paths.items()}
        if sum(len(content) for _, content in found.values()) <= budget:
            break
    lossy = any(kind == "jpeg" for kind, _ in found.values())
    addresses = {
        key: f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
        for key, (kind, content) in found.items()
    }
    return addresses, lossy


def _encode(path: Path, economy: Economy) -> tuple[str, bytes]:
    from PIL import Image

    content = path.read_bytes()
    with Image.open(path) as picture:
        kind = (picture.format or "PNG").lower()
        if kind in ("png", "jpeg") and len(content) <= economy.lossless and max(picture.size) <= economy.side:
            return kind, content
        smaller = picture.convert("L" if picture.mode in ("1", "L", "I", "I;16") else "RGB")
        smaller.thumbnail((economy.side, economy.side))
        file = io.BytesIO()
        smaller.save(file, "JPEG", quality=economy.quality, subsampling=0)
    return ("jpeg", file.getvalue()) if file.tell() < len(content) else (kind, content)
