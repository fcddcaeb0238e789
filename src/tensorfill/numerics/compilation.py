"""Whether compiled kernels are at hand, or are about to be compiled: once after an installation, for some seconds."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any


def is_cached(kernel: Any) -> bool:
    """Whether Numba has an up-to-date compilation of a kernel on disk."""
    folder = kernel.stats.cache_path
    if folder is None:
        return False
    source = Path(kernel.py_func.__code__.co_filename)
    newest = max((file.stat().st_mtime for file in Path(folder).glob(f"*.{kernel.__name__}-*.nbi")), default=0.0)
    return newest >= source.stat().st_mtime


def announce_compilation(kernel: Any) -> None:
    """Log that a kernel, and those that are used with it, will be compiled first, unless they have been."""
    if not is_cached(kernel):
        logging.getLogger(__name__).info("Compiling, once after an installation: some seconds.")
