"""Compiling kernels: kept on disk wherever there is a place for it, told about once, and timed.

Numba refuses to keep anything if it can write neither beside the source nor in a home, as in a container, and then the
module cannot even be imported. So a kernel is kept there if possible, else in a temporary folder that is nobody else's,
else not at all: then it is compiled anew by every process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching, config, event

from .interrupting import postponed
from .private_folder import private_folder
from .telling import tell_compiling

_config: Any = config  # Numba says little about its types
_caching: Any = caching
_event: Any = event
_logger = logging.getLogger(__name__)
_ONCE = "Compiling, once after an installation: up to {seconds} s in all."
_TEMPORARILY = "Compiling, which is kept in {folder} (no other folder for it can be written): up to {seconds} s in all."
_EVERY_TIME = (
    "Compiling, up to {seconds} s in all, and again in every run, for no folder that could keep it can be written; "
    "NUMBA_CACHE_DIR=FOLDER names one."
)
_USUAL_SECONDS = 20
"""What `auto` takes at most to compile all that it uses, on two cores; a method by itself takes a few seconds."""


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: `numba.njit` with these options, kept on disk if that is possible.

    A kernel that another one calls becomes part of that one. Otherwise both would have a copy of it, compiled apart, of
    which a process takes the first that it meets: then bits depend on what was compiled or loaded before.

    >>> @compiled(fastmath=True)
    ... def doubled(number):
    ...     return 2 * number
    >>> doubled(4)
    8
    """

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = njit(forceinline=True, **options)(function)
        kept = _kept(function)
        if kept is not None:
            kernel._cache = kept
        kernel.compile = _without_interrupts(kernel.compile)
        return kernel

    return decorate


def _without_interrupts(compile_or_load: Callable[..., Any]) -> Callable[..., Any]:
    """Ctrl-C waits until a kernel is ready: in one of LLVM's callbacks it gets lost, and the kernel with it."""

    @wraps(compile_or_load)
    def make_ready(signature: Any) -> Any:
        with postponed():
            return compile_or_load(signature)

    return make_ready


class _KeptCode(_caching.FunctionCache):  # type: ignore[misc]
    """The compiled code of a kernel on disk. A disk that is full, or a folder that was deleted, keeps nothing."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with suppress(OSError):
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


def _kept(function: Callable[..., Any]) -> _KeptCode | None:
    """Where Numba keeps what belongs to this source file, or else in the temporary folder."""
    with suppress(RuntimeError):  # "no locator available"
        return _KeptCode(function)
    folder = private_folder()
    if folder is None:
        return None
    before, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
    try:
        return _KeptCode(function)
    except RuntimeError:
        return None
    finally:
        _config.CACHE_DIR = before


class _Compilations(_event.Listener):  # type: ignore[misc]
    """Follows what Numba compiles for this package: says so once, and tells how long that takes."""

    def __init__(self) -> None:
        self._open = 0  # one kernel compiles those that it calls
        self._told = False

    def on_start(self, event: Any) -> None:
        kernel = event.data["dispatcher"]
        if self._open or _is_ours(kernel):
            if not self._open:
                tell_compiling(begins=True)
            self._open += 1
            self._tell(kernel)

    def on_end(self, event: Any) -> None:
        if self._open:
            self._open -= 1
            if not self._open:
                tell_compiling(begins=False)

    def _tell(self, kernel: Any) -> None:
        if not self._told and _logger.isEnabledFor(logging.INFO):
            self._told = True
            _logger.info(_announcement(kernel.stats.cache_path))


def _is_ours(kernel: Any) -> bool:
    return str(kernel.py_func.__module__).startswith(f"{__package__}.")


def _announcement(folder: str | None) -> str:
    """What is being done, how long it takes, and how often: told by where its code is kept."""
    if folder is None:
        return _EVERY_TIME.format(seconds=_USUAL_SECONDS)
    temporary = private_folder()
    if temporary and temporary in Path(folder).parents:
        return _TEMPORARILY.format(seconds=_USUAL_SECONDS, folder=temporary)
    return _ONCE.format(seconds=_USUAL_SECONDS)


_compilations = _Compilations()
_event.register("numba:compile", _compilations)
