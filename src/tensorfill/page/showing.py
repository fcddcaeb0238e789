"""Showing a result, in a worker: as planes beside those of the data, with its parts, its doubts and its errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import metrics
from ..completion import Completion
from ..errors import TensorfillError
from ..formats import Contents
from ..methods.registry import available_methods
from ..tensor import entries
from .planes import Layout, Shades, draw_all

_MOST_UNSURE = 12_000_000  # entries: beyond, working it out takes longer than anybody looks at it
_MOST_IN_PARTS = 40_000_000
_SURE = 0.995  # share of the deviations that are told apart; the rest is as bright


def show_result(folder: Path, done: Completion, layout: Layout, shades: Shades) -> None:
    """The completed tensor as filled.bin."""
    _write(folder / "shown.bin", done.tensor, layout, shades)


def show_components(folder: Path, done: Completion, layout: Layout) -> list[dict[str, float]]:
    """W^(1), W^(2) … as part-0.bin, part-1.bin …, each from its smallest to its largest value."""
    kind = available_methods().get(done.method)
    if kind is None or not kind.has_components or entries(layout.shape) * len(layout.shape) > _MOST_IN_PARTS:
        return []
    found = []
    for number, part in enumerate(done.components):
        low, high = float(part.min()), float(part.max())
        _write(folder / f"part-{number}.bin", part, layout, Shades(low, high if high > low else low + 1))
        found.append({"low": low, "high": high})
    return found


def show_uncertainty(folder: Path, done: Completion, layout: Layout) -> float | None:
    """Standard deviations as unsure.bin, and the one that is brightest; None if nobody tells."""
    if done.deviations is None or entries(layout.shape) > _MOST_UNSURE:
        return None
    try:
        deviations = done.uncertainty
    except TensorfillError:  # auto may end with a method that does not tell
        return None
    unsure = deviations[deviations > 0]
    white = float(np.quantile(unsure, _SURE)) if unsure.size else 1.0
    gray = deviations.mean(axis=-1) if layout.channels else deviations
    plain = Layout(gray.shape, 0)
    _write(folder / "unsure.bin", gray, plain, Shades(0.0, white if white > 0 else 1.0))
    return white


def measure(truth: Contents, done: Completion, hidden: NDArray[np.bool_] | None) -> dict[str, Any] | None:
    """How far the completion is from what was painted over; None where nothing known was."""
    if hidden is None or not hidden.any():
        return None
    known = truth.known()
    found = metrics.score(truth.data[known], done.tensor[known], ~hidden[known])
    loudness = found.psnr if np.isfinite(found.psnr) else None
    return {"rmse": found.rmse_unobserved, "rmse_all": found.rmse, "psnr": loudness}


def _write(path: Path, tensor: NDArray[Any], layout: Layout, shades: Shades) -> None:
    part = path.with_suffix(".new")
    with open(part, "wb") as file:
        for plane in draw_all(tensor, layout, shades):
            file.write(plane)
    part.replace(path)
