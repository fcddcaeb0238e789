"""Whether a library is there, told without loading it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ..damage import needed


def check_installed(module: str, extra: str, path: Path) -> None:
    """One line that says how to get it, if it is not."""
    if find_spec(module) is None:
        needed(module, extra, path)
