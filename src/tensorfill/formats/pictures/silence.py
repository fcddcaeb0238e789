"""Silence: what libraries log and warn about while they read is not for the user, who gets one sentence instead."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_LOGGERS = ("tifffile", "PIL.Image", "PIL.PngImagePlugin", "PIL.TiffImagePlugin")


@contextmanager
def silence() -> Iterator[None]:
    """No log lines and no warnings of Pillow and tifffile in the block."""
    with ExitStack() as after:
        after.enter_context(warnings.catch_warnings(action="ignore"))
        for logger in map(logging.getLogger, _LOGGERS):
            after.callback(setattr, logger, "disabled", logger.disabled)
            logger.disabled = True
        yield
