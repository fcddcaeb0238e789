"""TIFF: pictures, stacks and clips of any dtype, in .tif files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..contents import Contents, Metadata, Reading
from ..damage import check_room, open_source, readable
from ..format import Format
from ..scratch import Scratch, allocate
from .pixels import (
    add_alpha,
    brightness,
    choose_frames,
    find_orientation,
    find_turns,
    fit_alpha,
    fit_profile,
    iterate_pages,
    tell_alpha,
    tell_profile,
    turn_as_stored,
    turn_upright,
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
        found = _to_contents(iter(np.moveaxis(samples, 2, 0)), layout, modes, Description(), about, how)
        return keep_text(found, about.text, said)

    def write(self, path: Path, contents: Contents) -> None:
        """Pages of gray or RGB, with alpha, compressed without loss; BigTIFF if there is too much for plain TIFF."""
        import tifffile

        metadata = contents.metadata
        data, colour = contents.data, _is_colour(contents)
        alpha = None if tell_alpha(contents, channels=colour) else metadata.alpha
        turn, order = find_orientation(metadata), choose_byte_order(metadata)
        rows, columns = data.shape[1::-1] if find_turns(turn)[0] else data.shape[:2]
        header = metadata.header if metadata.header_of == self.name else {}
        modes = data.shape[2:-1] if colour else data.shape[2:]
        samples = (3 if colour else 1) + (alpha is not None)
        stored = (*modes, rows, columns, *((3,) if colour else ()))
        dtype = data.dtype.newbyteorder(order)
        big = math.prod(stored) * data.dtype.itemsize > _BIG
        with tifffile.TiffWriter(path, bigtiff=big, byteorder=order) as file:
            file.write(
                _make_pages(data, alpha, len(modes), turn, dtype),
                shape=(math.prod(modes), rows, columns, *((samples,) if samples > 1 else ())),
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

    def page_mode(self, contents: Contents) -> int | None:
        """The first that pages have."""
        return 2 if contents.ndim > (3 if _is_colour(contents) else 2) else None

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
    shape = (layout.height, layout.width, len(wanted), layout.samples)
    check_room(path, shape, layout.dtype.itemsize, path.stat().st_size, scratch=how.scratch)
    if len(alike) == 1 < count:
        read = read_in_one_piece(pages[0], layout, wanted, file)
    else:
        read = read_pages([alike[index] for index in wanted], layout, file, path)  # fails if there are too few
    if len(full) > len(alike):
        unlike = f"{path} also has {len(full) - len(alike)} pages unlike the first one; they are not read."
        about = about._replace(notes=(*about.notes, unlike))
    if modes and len(wanted) < count:
        modes, said = (len(asked), *modes[1:]), replace(said, fields={})
    found = _to_contents(read, layout, modes, said, about, how)
    return keep_text(found, about.text, said, whole=len(wanted) == max(count, 1) and not how.gray)


def _to_contents(
    pages: Iterator[NDArray[Any]],
    layout: Layout,
    modes: tuple[int, ...],
    said: Description,
    about: About,
    how: Reading,
) -> Contents:
    """Values and alpha of pages, (rows, columns, samples) each, upright, as these modes; none: a picture."""
    notes, header = (*said.notes, *about.notes), dict(about.fields.get("header", {}))
    samples = _Samples.of(layout, find_orientation(Metadata(**about.fields)), gray=how.gray)
    if samples.alpha:
        header |= {} if layout.extra[0] == ALPHA else {"alpha": layout.extra[0]}
    if samples.white_is_0:
        notes = (*notes, "White is stored as 0; the values are turned round, so that black is 0.")
    data, alpha = _collect(map(samples.split, pages), modes, how.scratch) if modes else samples.split(next(pages))
    still = "picture" if samples.bands == 1 or samples.colour else "cube"
    stack = "video" if samples.colour else "volume"
    axes = f"YX{said.axes}" + ("S" if samples.bands > 1 else "")
    fields: dict[str, Any] = {
        **about.fields,
        **said.fields,
        "kind": said.kind or (stack if modes else still),
        "axes": axes[: data.ndim] if said.axes else "",
        "frame_rate": said.frame_rate,
        "header": header,
        "header_of": Tiff.name if header else "",
    }
    return add_alpha(Contents(data, None, notes, Metadata(**fields)), alpha, how.scratch)


@dataclass(frozen=True)
class _Samples:
    """What the numbers of a pixel are."""

    bands: int
    """How many there are beside alpha."""
    alpha: bool
    colour: bool
    white_is_0: bool
    turn: int
    gray: bool
    """Whether colour becomes brightness."""

    @classmethod
    def of(cls, layout: Layout, turn: int, *, gray: bool) -> _Samples:
        """As a page declares them."""
        plain = 3 if layout.photometric == RGB else 1
        alpha = layout.samples == plain + 1 and layout.extra[:1] in ((_ASSOCIATED_ALPHA,), (ALPHA,))
        bands = layout.samples - alpha
        white_is_0 = layout.photometric == _WHITE_IS_0 and layout.dtype.kind == "u"
        return cls(bands, alpha, bands == 3 and layout.photometric == RGB, white_is_0, turn, gray)

    def split(self, page: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """The values of a page, and its alpha if there is one, upright."""
        values = page[..., : self.bands]
        if self.white_is_0:
            values = np.iinfo(page.dtype).max - values
        values = values[..., 0] if self.bands == 1 else values
        values = brightness(values) if self.colour and self.gray else values
        return turn_upright(values, self.turn), turn_upright(page[..., -1], self.turn) if self.alpha else None


def _collect(
    pages: Iterable[tuple[NDArray[Any], NDArray[Any] | None]], modes: tuple[int, ...], scratch: Scratch | None
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """All pages, (row, column, modes[, channel]), and their alpha."""
    found: list[Any] = [None, None]
    for index, page in zip(np.ndindex(*modes), pages, strict=True):
        for place, values in enumerate(page):
            if values is None:
                continue
            if found[place] is None:
                (rows, columns, *rest), count = values.shape, 2 + len(modes)
                axes = (*range(2, count), 0, 1, *range(count, count + len(rest)))
                found[place] = allocate(scratch, (rows, columns, *modes, *rest), values.dtype, axes)
            found[place][(slice(None), slice(None), *index)] = values
    return found[0], found[1]


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
    data: NDArray[Any], alpha: NDArray[Any] | None, modes: int, turn: int, dtype: np.dtype[Any]
) -> Iterator[NDArray[Any]]:
    """Page after page as it is stored, the last of the other modes fastest."""
    opacities = repeat(None) if alpha is None else iterate_pages(alpha, modes)
    for page, opacity in zip(iterate_pages(data, modes), opacities, strict=alpha is not None):
        fitting = fit_alpha(opacity, page, channels=page.ndim == 3)
        stored = turn_as_stored(page if fitting is None else np.dstack([page, fitting]), turn)
        yield np.ascontiguousarray(stored, dtype=dtype)
