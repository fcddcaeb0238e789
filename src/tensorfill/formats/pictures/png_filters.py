"""PNG's filters, by which every byte is stored as the difference to what its neighbours foretell.

By hand for pictures of 16 bits, because Pillow cuts those in colour or with alpha down to 8. With a to the left of x, b
above it and c above a, the forecast is 0, a, b, ⌊(a + b)/2⌋, or whichever of a, b, c is nearest to a + b − c.

Format: W3C, Portable Network Graphics (PNG) Specification, section 9.
"""

import numpy as np
from numpy.typing import NDArray

from ...compiling import compiled

_NEAREST = 4


def filter_rows(rows: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Differences to the last of the forecasts, each row behind the number of that filter; `step` bytes are a pixel."""
    padded = np.zeros((rows.shape[0] + 1, rows.shape[1] + step), dtype=np.int16)
    padded[1:, step:] = rows
    a, b, c = padded[1:, :-step], padded[:-1, step:], padded[:-1, :-step]
    to_a, to_b, to_c = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    forecast = np.where((to_a <= to_b) & (to_a <= to_c), a, np.where(to_b <= to_c, b, c))
    out = np.full((len(rows), rows.shape[1] + 1), _NEAREST, dtype=np.uint8)
    out[:, 1:] = rows - forecast
    return out


@compiled()
def undo_filters(filters, rows, step):  # type: ignore[no-untyped-def]
    """Replace differences by values, in place. Returns whether all filters exist."""
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
