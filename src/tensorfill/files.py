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
    """Write a tensor to a file, replacing what is there; if writing fails, the old file stays as it was.

    Parameters
    ----------
    path : str or path-like
        The file; its extension selects the format. `scan.h5::images` names the array in it.
    tensor : array_like, Completion, Contents, Entries, DataArray or DataFrame
        The values. Of a `Completion`, its tensor is written, or its table if the data came as one.
    format : str, optional
        The name of the format, if the extension does not tell.
    like : Contents or Entries, optional
        What `read` returned for the file that the data came from: frame rate, band names, affine map and other metadata
        are taken from it.

    Returns
    -------
    tuple of str
        Sentences about what the format changes; empty for a lossless format.

    Raises
    ------
    TensorfillError
        If the format is not known, cannot hold the data, or the file cannot be written.

    See Also
    --------
    read : the inverse.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "counts.npy")
    ...     notes = write(path, np.arange(6).reshape(2, 3))
    ...     np.asarray(read(path)).tolist(), notes
    ([[0, 1, 2], [3, 4, 5]], ())
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
