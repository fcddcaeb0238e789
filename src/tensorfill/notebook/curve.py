"""The cost over the seconds, as a small drawing in SVG."""

from __future__ import annotations

import numpy as np

from ..tensor import Array
from .shown import Steps

WIDTH, HEIGHT = 256, 96
_MOST_POINTS = 200
_LOGARITHMIC = 30.0
"""From this ratio of the largest to the smallest cost on, the scale is logarithmic."""
_SOFT = "fill:currentColor;opacity:.65;font-size:11px"


def curve(history: Steps) -> str:
    """The drawing; empty if there are not two iterations to join."""
    seconds, cost = np.asarray(history.seconds, np.float64), np.asarray(history.cost, np.float64)
    there = np.flatnonzero(np.isfinite(seconds) & np.isfinite(cost))
    if len(there) < 2:
        return ""
    chosen = there[np.unique(np.linspace(0, len(there) - 1, _MOST_POINTS).round().astype(int))]
    seconds, cost = seconds[chosen], cost[chosen]
    lowest, highest = float(cost.min()), float(cost.max())
    logarithmic = lowest > 0 and highest / lowest > _LOGARITHMIC
    height = np.log(cost) if logarithmic else cost
    across = 2 + _unit(seconds) * (WIDTH - 4)
    down = 18 + (1 - _unit(height)) * (HEIGHT - 36)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    said = f"Cost over {seconds[-1]:.3g} seconds, from {cost[0]:.4g} to {cost[-1]:.4g}"
    scale = ", logarithmic" if logarithmic else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{said}" style="display:block;font-family:inherit"><title>{said}</title>'
        f'<text x="2" y="11" style="{_SOFT}">cost{scale}: {highest:.4g}</text>'
        f'<text x="2" y="{HEIGHT - 3}" style="{_SOFT}">{lowest:.4g}</text>'
        f'<text x="{WIDTH - 2}" y="{HEIGHT - 3}" text-anchor="end" style="{_SOFT}">{seconds[-1]:.3g} s</text>'
        f'<line x1="2" x2="{WIDTH - 2}" y1="{HEIGHT - 15}" y2="{HEIGHT - 15}" stroke="currentColor" opacity=".35"/>'
        f'<polyline points="{points}" fill="none" stroke="#3b82f6" stroke-width="1.5" stroke-linejoin="round"/></svg>'
    )


def _unit(values: Array) -> Array:
    """Values moved and scaled to 0 … 1; a half if they are all alike."""
    with np.errstate(over="ignore", invalid="ignore"):
        lowest, spread = values.min(), values.max() - values.min()
        return (values - lowest) / spread if 0 < spread < np.inf else np.full(len(values), 0.5)
