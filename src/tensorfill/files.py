"""Files as the library's users see them: `read` and `write`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import formats
from .completion import Completion
from .formats import Contents, Entries
from .formats.data_file import AnyPath
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
