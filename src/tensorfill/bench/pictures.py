"""Pictures: one view of a tensor, the same for the truth and for every method, written as PNG.

What is shown: an image whole; of a video the middle frame; of a cube three of its bands, those at 85, 50 and 15 % of
the last mode, as red, green and blue; of counts and made-up tensors the middle slice across their shortest mode, in
gray. Of a fourth mode and further ones, the middle index. Where indices of the last mode are hidden altogether, the
nearest of these is shown instead: a frame or a band that had to be made up.

White is 1, the largest value of the data, for images, videos and made-up tensors. Cubes and counts are mostly far below
their largest value: there white is the value that 99.5 % (of counts 97 %) of the entries in view of the truth do not
exceed. What is outside black and white is clipped.
Components are each divided by their largest value in view, and black where negative, for they may be small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import formats
from ..rows import DataCard
from ..tensor import Array

FOLDER = "pictures"
_BANDS = (0.85, 0.5, 0.15)
_WHITE = {"cube": 99.5, "counts": 97.0}


@dataclass(frozen=True)
class Pictures:
    """Where the pictures of a run go, and how its data is looked at."""

    folder: Path
    """That of the rows."""
    data: DataCard
    white: float
    gone: tuple[int, ...] = ()
    """The indices of the last mode of which nothing is known."""

    @classmethod
    def of(cls, folder: Path, data: DataCard, truth: Array, gone: tuple[int, ...] = ()) -> Pictures:
        """Pictures on the scale of the truth."""
        bright = _WHITE.get(data.kind)
        white = 1.0 if bright is None else float(np.percentile(view(truth, data.kind, gone), bright))
        (folder / FOLDER).mkdir(exist_ok=True)
        return cls(folder, data, white if white > 0 else 1.0, gone)

    def write(self, name: str, tensor: NDArray[Any]) -> str:
        """A picture of the tensor; its path below the folder of the rows."""
        return self._write(name, view(tensor, self.data.kind, self.gone) / self.white)

    def write_component(self, name: str, tensor: NDArray[Any]) -> str:
        """A picture of a component, on a scale of its own."""
        shown = view(tensor, self.data.kind, self.gone)
        largest = float(shown.max())
        return self._write(name, shown / largest if largest > 0 else np.zeros_like(shown))

    def _write(self, name: str, shown: Array) -> str:
        path = f"{FOLDER}/{name}.png"
        formats.write(self.folder / path, formats.Contents(np.rint(np.clip(shown, 0.0, 1.0) * 255).astype(np.uint8)))
        return path


def view(tensor: NDArray[Any], kind: str, gone: Sequence[int] = ()) -> Array:
    """Two modes, or three with red, green and blue last; of the last mode, rather what is gone."""
    shown = np.asarray(tensor, dtype=np.float64)
    while shown.ndim > 3:
        shown = shown[..., _nearest(shown.shape[-1] // 2, gone)]
        gone = ()
    if shown.ndim == 2 or (kind == "image" and shown.shape[2] == 3):
        return shown
    if kind == "cube":
        return np.asarray(shown[:, :, [_nearest(band, gone) for band in _bands(shown.shape[2])]])
    mode = int(np.argmin(shown.shape)) if kind in ("counts", "synthetic") else 2
    middle = shown.shape[mode] // 2
    return np.asarray(np.take(shown, _nearest(middle, gone) if mode == 2 else middle, axis=mode))


def _nearest(index: int, gone: Sequence[int]) -> int:
    return min(gone, key=lambda other: abs(other - index), default=index)


def _bands(count: int) -> Sequence[int]:
    return [round(share * (count - 1)) for share in _BANDS]
