"""TIFF: pictures, stacks and clips of any dtype, in .tif files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents, Metadata, Reading
from ..damage import open_source, readable
from ..format import Format
from .pixels import (
    brightness,
    choose_frames,
    find_orientation,
    fit_alpha,
    fit_profile,
    tell_alpha,
    tell_profile,
    to_contents,
    turn_as_stored,
)
from .tiff_about import (
    About,
    Description,
    add_about,
    choose_byte_order,
    compose_text,
    keep_text,
    parse_text,
    read_about,
)
from .tiff_pages import ALPHA, KIND, RGB, Layout, find_layout, open_tiff, read_by_pillow, read_in_one_piece, read_pages

_SMALLER_COPY_OR_MASK = 1 | 4
_ASSOCIATED_ALPHA = 1
_WHITE_IS_0 = 0
_BIG = 2**32 - 2**25  # bytes; beyond it a .tif file needs wider offsets
_LETTERS = {"video": "T", "volume": "Z", "cube": "C"}
_COLOUR_KINDS = {3: ("picture", "array"), 4: ("video", "array")}


class Tiff(Format):
    """.tif files. A stack of pages is a volume, (row, column, page), unless the file says that pages are frames."""

    name: ClassVar[str] = "tiff"
    extensions: ClassVar[tuple[str, ...]] = (".tif", ".tiff")
    kind: ClassVar[str] = KIND
    holds_alpha: ClassVar[bool] = True

    def decode(self, path: Path, how: Reading) -> Contents:
        """Every page of the first page's shape, as the file stores it; NaN and transparent pixels are missing."""
        with open_source(path) as file, readable(path, KIND), open_tiff(file) as pages:
            about = read_about(file, pages[0])
            layout = find_layout(pages[0])
            if layout is not None:
                return _decode_stack(file, pages, layout, about, path, how)
            wanted = choose_frames(how, path, len(pages)) if len(pages) > 1 else range(1)
            samples, layout, notes = read_by_pillow(pages[0], wanted, path)
            said = parse_text(pages[0].description)
        samples = turn_as_stored(samples, find_orientation(Metadata(**about.fields)))  # Pillow turns it upright
        modes = samples.shape[2:3] if len(pages) > 1 else ()
        about = about._replace(notes=(*notes, *about.notes))
        found = _to_contents(samples, layout, modes, Description(), about, gray=how.gray)
        return keep_text(found, about.text, said)

    def write(self, path: Path, contents: Contents) -> None:
        """Pages of gray or RGB, with alpha, compressed without loss; BigTIFF if there is too much for plain TIFF."""
        import tifffile

        metadata = contents.metadata
        colour = _is_colour(contents)
        alpha = fit_alpha(metadata.alpha, contents.data, channels=colour)
        turn, order = find_orientation(metadata), choose_byte_order(metadata)
        data, alpha = turn_as_stored(contents.data, turn), None if alpha is None else turn_as_stored(alpha, turn)
        header = metadata.header if metadata.header_of == self.name else {}
        modes = data.shape[2:-1] if colour else data.shape[2:]
        samples = (3 if colour else 1) + (alpha is not None)
        stored = (*modes, *data.shape[:2], *((3,) if colour else ()))
        dtype = data.dtype.newbyteorder(order)
        big = math.prod(stored) * data.dtype.itemsize > _BIG
        with tifffile.TiffWriter(path, bigtiff=big, byteorder=order) as file:
            file.write(
                _make_pages(data, alpha, len(modes), dtype),
                shape=(math.prod(modes), *data.shape[:2], *((samples,) if samples > 1 else ())),
                dtype=dtype,
                photometric="rgb" if colour else "minisblack",
                planarconfig="contig" if samples > 1 else None,
                extrasamples=None if alpha is None else [header.get("alpha", ALPHA)],
                predictor=2 if data.dtype.kind in "ui" else None,
                compression="zlib",
                metadata=None,
                software=False,
                maxworkers=1,
            )
        text = compose_text(contents, stored, _choose_letters(contents, len(modes)) + ("YXS" if colour else "YX"))
        add_about(path, metadata, fit_profile(metadata, 3 if colour else 1), text, order=order, big=big)

    def refuses(self, contents: Contents) -> str | None:
        """Numbers in at least two modes fit."""
        dtype = contents.dtype
        if contents.ndim < 2 or 0 in contents.shape or dtype.kind not in "uif" or dtype.itemsize > 8:
            return (
                "A .tif file holds integers or floating point of up to 64 bits, at least one row and one column of it. "
                f"Got {dtype} of shape {contents.shape} instead; write .npy or .npz."
            )
        return None

    def losses(self, contents: Contents) -> tuple[str, ...]:
        """Only alpha and profiles that belong to something else."""
        colour = _is_colour(contents)
        return (*tell_profile(contents, 3 if colour else 1), *tell_alpha(contents, channels=colour))


def _decode_stack(file: BinaryIO, pages: list[Any], layout: Layout, about: About, path: Path, how: Reading) -> Contents:
    """The pages that are like the first one, and no smaller copies, as the modes that the file says they are."""
    full = [page for page in pages if not int(page.subfiletype) & _SMALLER_COPY_OR_MASK] or pages[:1]
    alike = [page for page in full if find_layout(page) == layout]
    said = parse_text(pages[0].description, layout.samples, len(alike))
    modes = said.modes if said.modes is not None else (len(alike),) if len(alike) > 1 else ()
    count = math.prod(modes)
    each = math.prod(modes[1:])  # of several modes, the first one is counted as frames
    asked = choose_frames(how, path, modes[0]) if modes else range(1)
    wanted = range(asked.start * each, asked.stop * each)
    if len(alike) == 1 < count:
        samples = read_in_one_piece(pages[0], layout, wanted, file, path)
    else:
        samples = read_pages([alike[index] for index in wanted], layout, file, path)  # fails if there are too few
    if len(full) > len(alike):
        unlike = f"{path} also has {len(full) - len(alike)} pages unlike the first one; they are not read."
        about = about._replace(notes=(*about.notes, unlike))
    if modes and len(wanted) < count:
        modes, said = (len(asked), *modes[1:]), replace(said, fields={})
    found = _to_contents(samples, layout, modes, said, about, gray=how.gray)
    return keep_text(found, about.text, said, whole=len(wanted) == max(count, 1) and not how.gray)


def _to_contents(
    samples: NDArray[Any], layout: Layout, modes: tuple[int, ...], said: Description, about: About, *, gray: bool
) -> Contents:
    """Values and alpha of samples, (rows, columns, pages, samples), upright, the pages as modes; none: a picture."""
    notes = (*said.notes, *about.notes)
    header, alpha = dict(about.fields.get("header", {})), None
    plain = 3 if layout.photometric == RGB else 1
    if layout.samples == plain + 1 and layout.extra[:1] in ((_ASSOCIATED_ALPHA,), (ALPHA,)):
        alpha = np.ascontiguousarray(samples[..., -1]).reshape(*samples.shape[:2], *modes)
        samples = samples[..., :-1]
        header |= {} if layout.extra[0] == ALPHA else {"alpha": layout.extra[0]}
    if layout.photometric == _WHITE_IS_0 and layout.dtype.kind == "u":
        samples = np.iinfo(layout.dtype).max - samples
        notes = (*notes, "White is stored as 0; the values are turned round, so that black is 0.")
    bands = samples.shape[3]
    colour = bands == 3 and layout.photometric == RGB
    data = samples.reshape(*samples.shape[:2], *modes, *((bands,) if bands > 1 else ()))
    if colour and gray:
        data = brightness(data)
    still = "picture" if bands == 1 or colour else "cube"
    stack = "video" if colour else "volume"
    axes = f"YX{said.axes}" + ("S" if bands > 1 else "")
    fields: dict[str, Any] = {
        **about.fields,
        **said.fields,
        "kind": said.kind or (stack if modes else still),
        "axes": axes[: data.ndim] if said.axes else "",
        "frame_rate": said.frame_rate,
        "header": header,
        "header_of": Tiff.name if header else "",
    }
    return to_contents(data, alpha, Reading(), notes, fields)


def _choose_letters(contents: Contents, modes: int) -> str:
    """What the modes of pages are: as the file said that they came from, or by the kind of the data."""
    axes = contents.metadata.axes
    return axes[2 : 2 + modes] if _has_fitting_axes(contents) else _LETTERS.get(contents.metadata.kind, "Q") * modes


def _has_fitting_axes(contents: Contents) -> bool:
    axes = contents.metadata.axes
    return axes.startswith("YX") and len(axes) == contents.ndim


def _is_colour(contents: Contents) -> bool:
    if _has_fitting_axes(contents):
        return contents.metadata.axes.endswith("S") and contents.shape[-1] == 3
    return contents.metadata.kind in _COLOUR_KINDS.get(contents.ndim, ()) and contents.shape[-1] == 3


def _make_pages(
    data: NDArray[Any], alpha: NDArray[Any] | None, modes: int, dtype: np.dtype[Any]
) -> Iterator[NDArray[Any]]:
    """Page after page, the last of the other modes fastest."""
    for index in np.ndindex(*data.shape[2 : 2 + modes]):
        place = (slice(None), slice(None), *index)
        page = data[place] if alpha is None else np.dstack([data[place], alpha[place]])
        yield np.ascontiguousarray(page, dtype=dtype)
