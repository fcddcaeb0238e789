"""The key of a user: a secret that tells files this user's own processes have written from all others."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..private_folder import private_folder

_LENGTH = 32  # bytes
_NAME = "key"


def user_key() -> bytes | None:
    """The key, made when it is first asked for; None where there is no place that is this user's alone."""
    for folder in _places():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            key = _read(folder / _NAME) or _make(folder / _NAME)
            if key is not None:
                return key
    return None


def _places() -> Iterator[Path]:
    """Where a program keeps its state, or else a temporary folder."""
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", "")
    if Path(named).is_absolute():
        yield Path(named) / "tensorfill"
    else:
        with suppress(RuntimeError):  # there is no home
            yield Path.home() / ".local" / "state" / "tensorfill"
    folder = private_folder()
    if folder is not None:
        yield folder


def _read(path: Path) -> bytes | None:
    """A key that nobody else can have read or written; None if there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    try:
        found = os.fstat(descriptor)
        ours = not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & 0o077)
        if not (stat.S_ISREG(found.st_mode) and ours):
            return None
        key = os.read(descriptor, _LENGTH + 1)
        return key if len(key) == _LENGTH else None
    finally:
        os.close(descriptor)


def _make(path: Path) -> bytes | None:
    """A new key. Of two processes that make one at the same time, both take that of the first."""
    part = path.with_name(f".{path.name}-{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except OSError:
            if _read(path) is None:  # what is there is no key, or not ours alone; or there are no links
                part.replace(path)
        return _read(path)
    finally:
        part.unlink(missing_ok=True)
