"""BMP pictures, in .bmp files: 8 bits, gray or colour, every one of them kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ..contents import Contents
from ..reading import Reading
from ..unkept import unkept
from .density import density_field, to_unit
from .orientation import stores_rows_as_columns
from .still import StillPicture, open_picture, split_alpha, to_contents, to_shades

_METRES_PER_INCH = 0.0254


class Bmp(StillPicture):
    """.bmp files."""

    name: ClassVar[str] = "bmp"
    extensions: ClassVar[tuple[str, ...]] = (".bmp",)
    kind: ClassVar[str] = "a .bmp picture"
    most_pixels: ClassVar[int] = 65_500
    """Few programs open larger ones."""

    def decode(self, path: Path, how: Reading) -> Contents:
        """Gray as 2-D, colour as rows × columns × 3; palettes become RGB."""
        with open_picture(path, self.kind, "BMP") as image:
            per_inch = image.info.get("dpi", (0, 0))
            data, alpha = split_alpha(image)
        across, down = (round(each / _METRES_PER_INCH) for each in per_inch)
        return to_contents(data, alpha, how, about=density_field((across, 1), (down, 1), "metre"))

    def write(self, path: Path, contents: Contents) -> None:
        """The array as a picture, upright; neither mask nor alpha are kept."""
        from PIL import Image

        density = contents.metadata.density
        options: dict[str, Any] = {}
        if density is not None and density.unit:
            across, down = (float(each) for each in to_unit(density, "inch"))
            options["dpi"] = (down, across) if stores_rows_as_columns(contents.metadata) else (across, down)
        Image.fromarray(to_shades(contents.data)).save(path, format="BMP", **options)

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Alpha, and all metadata but the density."""
        return (*super().losses(contents), *unkept(contents, self.kind, "density"))
