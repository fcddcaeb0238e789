"""Files as the library's users see them: `read` and `write`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import formats
from .completion import Completion
from .formats import Contents, Entries
from .formats.data_file import AnyPath
from .formats.format import Format
from .peers import TableBack, accept

read = formats.read


def write(
    path: AnyPath, tensor: Any, *, format: str | None = None, like: Contents | Entries | None = None
) -> tuple[str, ...]:
    """Write a tensor to a file, all or nothing, replacing what is there.

    Parameters
    ----------
    path
        The file; its extension picks the format. `scan.h5::images` names the array in it.
    tensor
        An array, a `Completion` (its tensor, or its table if it came as one), what `read` gave, DataArray, DataFrame.
    format
        The name of the format, if the extension does not tell.
    like
        What `read` gave for the file this came from: frame rate, band names, affine … are taken from it.

    Returns
    -------
    tuple
        Sentences about what the format changes; empty for a lossless one.
    """
    return formats.write(path, _contents(tensor, like), format=format)


def fill(source: Contents | Entries, done: Completion, form: Format, *, raw: bool = False) -> Contents | Entries:
    """What was read, without its holes, as a file of this format holds it; `raw` is the model itself."""
    if isinstance(source, Entries):
        return source.complete(done)
    tensor = done.model if raw else done.tensor
    if form.picture and tensor.dtype.kind == "f":
        tensor = np.clip(tensor, 0, 1)  # the observed values are between 0 and 1; a filled one may not be
    # An .npz also tells what had been known, for `score`; elsewhere a mask would mean that holes are left.
    return source.fill(tensor, done.observed.mask() if form.keeps_old_mask else None)


def _contents(tensor: Any, like: Contents | Entries | None) -> Contents | Entries:
    if isinstance(tensor, Completion):
        if like is None and isinstance(tensor.give_back, TableBack):
            return tensor.give_back.entries(tensor)
        if like is None:
            whole = tensor.filled
            return whole if isinstance(whole, Contents | Entries) else _contents(whole, None)
        if isinstance(like, Entries):
            return like.complete(tensor)
        return like.fill(tensor.tensor)
    arrived = accept(tensor)
    given = Contents(np.asarray(tensor)) if arrived is None else arrived.given
    if isinstance(like, Contents) and isinstance(given, Contents):
        return like.fill(given.data, given.observed)
    return given
