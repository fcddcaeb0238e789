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
