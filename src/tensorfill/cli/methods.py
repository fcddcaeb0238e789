"""`tensorfill methods`: what can be chosen with --method."""

from __future__ import annotations

from ..methods.registry import available_methods
from .console import show_table


def methods() -> None:
    """One row per method."""
    rows = [
        (name, method.summary, "yes" if method.nonnegative else "no", method.reference)
        for name, method in available_methods().items()
    ]
    show_table(rows, headings=("method", "what it is", "nonnegative", "reference"))
