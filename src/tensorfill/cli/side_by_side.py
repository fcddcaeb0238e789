"""Pictures next to each other, each with a caption."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

_GAP = 8
_CAPTION_HEIGHT = 24


def side_by_side(panels: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Colour pictures of equal height from left to right, their captions above them."""
    pictures = {caption: Image.fromarray(np.ascontiguousarray(panel)) for caption, panel in panels.items()}
    height = max(picture.height for picture in pictures.values())
    width = sum(picture.width + _GAP for picture in pictures.values()) + _GAP
    sheet = Image.new("RGB", (width, height + _CAPTION_HEIGHT + _GAP), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default()
    left = _GAP
    for caption, picture in pictures.items():
        draw.text((left, _CAPTION_HEIGHT // 3), caption, fill="black", font=font)
        sheet.paste(picture, (left, _CAPTION_HEIGHT))
        left += picture.width + _GAP
    return np.asarray(sheet)
