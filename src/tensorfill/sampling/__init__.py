"""Hide entries of a tensor, to see how well they come back.

Every pattern is a function of (shape, keep, seed) and gives a boolean mask: True means kept. `mask` has them by name.
"""

from .drawings import blocks, boxes, scratches, text
from .patterns import PATTERNS, check_pattern, mask
from .scattered import fibres, frames, lines, pixels, slices, uniform

__all__ = [
    "PATTERNS",
    "blocks",
    "boxes",
    "check_pattern",
    "fibres",
    "frames",
    "lines",
    "mask",
    "pixels",
    "scratches",
    "slices",
    "text",
    "uniform",
]
