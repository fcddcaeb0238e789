"""Undoing PNG's filters, by which every byte is stored as the difference to what its neighbours foretell.

Format: W3C, Portable Network Graphics (PNG) Specification, section 9. With a to the left of x, b above it and c above
a, the forecast is 0, a, b, ⌊(a + b)/2⌋, or whichever of a, b, c is nearest to a + b − c.
"""

import numpy as np
from numpy.typing import NDArray

from ...compiling import compiled


@compiled()
def unfilter(filters, rows, step):  # type: ignore[no-untyped-def]
    """Replace differences by values, in place; `step` bytes are a pixel. Returns whether all filters exist."""
    width, zero = rows.shape[1], np.int64(0)
    for i in range(rows.shape[0]):
        method = filters[i]
        if method > 4:
            return False
        if method == 0:
            continue
        for j in range(width):
            a = np.int64(rows[i, j - step]) if j >= step else zero
            b = np.int64(rows[i - 1, j]) if i > 0 else zero
            c = np.int64(rows[i - 1, j - step]) if i > 0 and j >= step else zero
            if method == 1:
                forecast = a
            elif method == 2:
                forecast = b
            elif method == 3:
                forecast = (a + b) // 2
            else:
                to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                if to_a <= to_b and to_a <= to_c:
                    forecast = a
                elif to_b <= to_c:
                    forecast = b
                else:
                    forecast = c
            rows[i, j] = (rows[i, j] + forecast) & 255
    return True


def paeth_filtered(rows: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Differences to the last of the forecasts, filter 4; the inverse of `unfilter`."""
    padded = np.zeros((rows.shape[0] + 1, rows.shape[1] + step), dtype=np.int16)
    padded[1:, step:] = rows
    a, b, c = padded[1:, :-step], padded[:-1, step:], padded[:-1, :-step]
    to_a, to_b, to_c = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    forecast = np.where((to_a <= to_b) & (to_a <= to_c), a, np.where(to_b <= to_c, b, c))
    return (rows - forecast).astype(np.uint8)
