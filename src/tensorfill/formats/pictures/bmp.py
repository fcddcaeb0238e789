"""BMP pictures, in .bmp files: 8 bits, gray or colour, every one of them kept."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from ..contents import Contents
from ..metadata import Density
from ..reading import Reading
from ..unkept import unkept
from .density import in_unit, sound
from .orientation import swaps
from .still import StillPicture, as_shades, opened, picture_contents, pixels

_KIND = "a .bmp picture"
_METRES_PER_INCH = 0.0254


class Bmp(StillPicture):
    """.bmp files."""

    name: ClassVar[str] = "bmp"
    extensions: ClassVar[tuple[str, ...]] = (".bmp",)
    most_pixels: ClassVar[int] = 65_500
    """Few programs open larger ones."""

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3; palettes become RGB."""
        with opened(path, _KIND, "BMP") as image:
            dots = image.info.get("dpi", (0, 0))
            image.load()
            data, alpha = pixels(image)
        across, down = (round(each / _METRES_PER_INCH) for each in dots)
        density = Density((across, 1), (down, 1), "metre")
        return picture_contents(data, alpha, how, about={"density": density} if sound(density) else {})

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture, upright; neither mask nor alpha are kept."""
        from PIL import Image

        density, told = contents.metadata.density, {}
        if density is not None and density.unit:
            across, down = (float(each) for each in in_unit(density, "inch"))
            told["dpi"] = (down, across) if swaps(contents.metadata) else (across, down)
        Image.fromarray(as_shades(contents.data)).save(path, format="BMP", **told)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Alpha, and all that is told about a picture but its density."""
        return (*super().losses(contents), *unkept(contents, "a .bmp picture", "density"))
