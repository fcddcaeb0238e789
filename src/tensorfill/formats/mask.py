"""Reading a mask: which entries of an array are known, from a file of its own."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .dispatch import format_of
from .source import open_source


def read_mask(path: Path, shape: Sequence[int]) -> NDArray[np.bool_]:
    """The mask in a file, True where known, for an array of this shape.

    A .npy or .npz (key `observed`) must be boolean and have exactly this shape. In a picture whatever is not
    black is known, and a gray one serves every channel of a colour picture.
    """
    shape = tuple(shape)
    with open_source(path) as file:
        form = format_of(path)
        mask = form.read_mask(file, str(path))
    if form.picture and len(shape) == 3 and mask.shape == shape[:2]:
        return np.broadcast_to(mask[..., None], shape)
    if mask.shape != shape:
        raise InvalidInput(f"The mask in {path} must have the shape of the data, {shape}. Got {mask.shape} instead.")
    return mask
