"""An open TIFF file: its pages as tifffile sees them, without what it would print about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ..damage import damaged
from .silence import silence
from .tiff_chain import KIND, page_count


@contextmanager
def parsed(file: BinaryIO, path: Path) -> Iterator[list[Any]]:
    """All pages, at least one; their pixels are not read yet."""
    import tifffile

    count = page_count(file, path)
    file.seek(0)
    # OME files may name others, and those would be opened.
    with silence(), tifffile.TiffFile(file, is_ome=False, _multifile=False) as tif:
        pages = list(tif.pages)
        if not pages or len(pages) != count:
            raise damaged(path, KIND)
        yield pages


def resolution(page: Any) -> dict[str, Any]:
    """Pixels per inch or centimetre, as whole numbers above and below the line; empty if the page does not tell."""
    values = [page.tags[name].value for name in ("XResolution", "YResolution") if name in page.tags]
    unit = page.tags["ResolutionUnit"].value if "ResolutionUnit" in page.tags else 2
    sound = len(values) == 2 and all(
        isinstance(value, tuple) and len(value) == 2 and min(value) > 0 for value in values
    )
    # tifffile writes 1 pixel per nothing where nobody knows.
    if not sound or unit not in (1, 2, 3) or (unit == 1 and values == [(1, 1), (1, 1)]):
        return {}
    return {"resolution": tuple((int(above), int(below)) for above, below in values), "unit": int(unit)}
