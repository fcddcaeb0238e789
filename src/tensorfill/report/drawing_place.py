"""Where matplotlib may keep its settings and its list of fonts: it does not start without such a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..private_folder import private_folder

_NAMED = ("MPLCONFIGDIR", "XDG_CACHE_HOME")  # of matplotlib, and of the library that lists fonts for it


@contextmanager
def drawing_place(spare: Path) -> Iterator[None]:
    """Without a home to write in, name matplotlib a temporary folder, or else `spare`; it would warn, or fail."""
    if _NAMED[0] in os.environ or sys.platform in ("win32", "darwin") or _has_home():
        yield
        return
    before = {name: os.environ.get(name) for name in _NAMED}
    os.environ |= dict.fromkeys(_NAMED, str(private_folder() or spare))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _has_home() -> bool:
    """Whether there can be folders for settings and for what is kept."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a name
        return False
    places = {"XDG_CONFIG_HOME": home / ".config", "XDG_CACHE_HOME": home / ".cache"}
    return all(_can_be_made(Path(os.environ.get(name) or usual)) for name, usual in places.items())


def _can_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
