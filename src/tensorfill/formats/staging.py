"""Writing files: they are put in place in one step, so that nobody sees half of them.

Everything is written to a stage, a hidden folder beside the target, and is moved from there when it is whole:

    .tensorfill-MACHINE-RANDOM.part/
        new/     what is being written
        old/     what was there, while several files change at once
        links/   a link for each of several files, leading to now/NAME
        now      leads to old, then to new

Killed at any moment, a process leaves the old target or the new one, and perhaps its stage. The next write into the
same folder deletes that, once nobody holds its lock.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO

from ..errors import UnwritableFile

_UNLESS_THERE, _EXCHANGE = 1, 2  # of renameat2, Linux
_HERE = -100
_MORE = 2**16  # bytes


@contextmanager
def put_in_place(path: Path, *, force: bool = True) -> Iterator[Path]:
    """A name in an empty folder; what is in that folder when the block ends well takes its place beside `path`.

    Several files change all at once, see `_put_together`; where the file system cannot do that, one after the other,
    the one of that name last. When the block fails, nothing changes. Without `force` it fails if there is anything of
    that name by then, even if it came while the block was running.
    """
    try:
        _tidy(path.parent)  # first: a process that was killed may have left links at this very name
        target = Path(os.path.realpath(path))  # through a link, so that the link stays one
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        with _stage_in(target.parent) as stage:
            yield stage / "new" / target.name
            made = sorted((stage / "new").iterdir(), key=lambda part: part.name == target.name)
            for part in made:
                _sync(part)
                _keep_mode(part, target.with_name(part.name))
            if not force:
                _put_first([(part, target.with_name(part.name)) for part in made])
            elif not _put_together(stage, [part.name for part in made]):
                for part in made:
                    _replace(part, target.with_name(part.name))
            _settle(stage)
            _sync_folder(target.parent)
    except FileExistsError as error:
        raise UnwritableFile(f"{path} has come to be there meanwhile; add force=True to replace it.") from error
    except OSError as error:
        raise UnwritableFile(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def atomically(path: Path, *, force: bool = True) -> Iterator[BinaryIO]:
    """A file that takes the name `path` when the block ends well, and vanishes when it does not."""
    with put_in_place(path, force=force) as part, part.open("xb") as file:
        yield file


@contextmanager
def _stage_in(folder: Path) -> Iterator[Path]:
    """A new stage, locked as long as this process lives; deleted in the end."""
    with _locked_stage(folder) as stage:
        try:
            for part in ("new", "old"):
                (stage / part).mkdir()
            yield stage
        except OSError as error:
            # Found out here, because afterwards there is room again.
            raise OSError(error.errno, _reason(error, stage)) from error


@contextmanager
def private_stage(folder: Path) -> Iterator[Path]:
    """An empty stage for what is never put in place, which nobody else can look into."""
    with _locked_stage(folder, 0o700) as stage:
        yield stage


@contextmanager
def _locked_stage(folder: Path, mode: int = 0o777) -> Iterator[Path]:
    _tidy(folder)
    stage, lock = _lock_new_stage(folder, mode)
    try:
        yield stage
    finally:
        _delete(stage)
        if lock is not None:
            os.close(lock)


def _lock_new_stage(folder: Path, mode: int) -> tuple[Path, int | None]:
    while True:
        stage = folder / f".tensorfill-{_machine()}-{secrets.token_hex(4)}.part"
        stage.mkdir(mode)
        try:
            lock = _lock(stage)
        except (BlockingIOError, FileNotFoundError):  # another process took it for that of a dead one
            continue
        if stage.is_dir():
            return stage, lock
        if lock is not None:
            os.close(lock)


@cache
def _machine() -> str:
    """The same for processes on one running system, whose locks are sure to work between them."""
    try:
        told = Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        told = platform.node()
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def _lock(folder: Path) -> int | None:
    """An open folder that no other process can lock until it is closed; None where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:  # a network's file system
        os.close(descriptor)
        return None
    return descriptor


def _tidy(folder: Path) -> None:
    """Deletes the stages of processes that were killed: those of this machine that nobody has locked."""
    for stage in folder.glob(f".tensorfill-{_machine()}-*.part"):
        with contextlib.suppress(OSError):
            lock = _lock(stage)
            if lock is not None:
                try:
                    _delete(stage)
                finally:
                    os.close(lock)


def _delete(stage: Path) -> None:
    with contextlib.suppress(OSError):  # what is still needed stays
        _settle(stage)
        shutil.rmtree(stage, ignore_errors=True)


def _put_together(stage: Path, names: Sequence[str]) -> bool:
    """Let several new files appear at the same moment, if the file system can; `_settle` then moves them in place.

    First every name becomes a link to `now/NAME` in the stage, where `now` leads to the old files, so that nothing
    changes. Then `now` leads to the new ones, which is a single step. An ENVI cube killed between two plain renames
    would be an old header with new numbers.
    """
    folder = stage.parent
    if not any((folder / name).is_file() for name in names) or len(names) == 1:
        return False
    try:
        (stage / "links").mkdir()
        (stage / "now").symlink_to("old")
        (stage / "next").symlink_to("new")
        for name in names:
            (stage / "links" / name).symlink_to(_link_to(stage, name))
            if os.path.lexists(folder / name):
                os.link(folder / name, stage / "old" / name, follow_symlinks=False)
    except (OSError, NotImplementedError):  # the file system has no links, or Python here none to links
        return False
    for name in names:
        (stage / "links" / name).replace(folder / name)
    (stage / "next").replace(stage / "now")
    return True


def _settle(stage: Path) -> None:
    """Put in place of links into the stage what they lead to; and bring back a folder that was taken away only."""
    for name in {part.name for part in stage.glob("*/*")}:
        place, old, now = stage.parent / name, stage / "old" / name, stage / "now" / name
        if place.is_symlink() and os.readlink(place) == _link_to(stage, name):
            if os.path.lexists(now):
                now.replace(place)
            else:
                place.unlink()
        elif old.is_dir() and not os.path.lexists(place):
            old.rename(place)


def _link_to(stage: Path, name: str) -> str:
    return os.path.join(stage.name, "now", name)


def _put_first(moves: Sequence[tuple[Path, Path]]) -> None:
    """Rename all, or none if there is anything at one of the names: of two writers, the second one fails."""
    done: list[tuple[Path, Path]] = []
    try:
        for part, target in moves:
            _put_unless_there(part, target)
            done.append((part, target))
    except OSError:
        for part, target in done:
            target.rename(part)
        raise


def _put_unless_there(part: Path, target: Path) -> None:
    outcome = _rename(part, target, _UNLESS_THERE)
    if outcome == errno.EEXIST:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    if outcome == 0:
        return
    # Where the system cannot do it in one step, the name is taken first: a folder is made or a file opened only once.
    if part.is_dir():
        target.mkdir()
    else:
        target.open("xb").close()
    try:
        part.replace(target)
    except OSError:
        target.rmdir() if part.is_dir() else target.unlink()
        raise


def _replace(part: Path, target: Path) -> None:
    """Rename; a folder changes places with the one that is there, which is then deleted with the stage."""
    if not (part.is_dir() and target.is_dir()) or not any(target.iterdir()):
        part.replace(target)
    elif not _exchange(part, target):
        target.rename(part.parents[1] / "old" / target.name)
        part.rename(target)


def _exchange(first: Path, second: Path) -> bool:
    """Whether the system could let two names change places in one step."""
    return _rename(first, second, _EXCHANGE) == 0


def _rename(first: Path, second: Path, how: int) -> int:
    """0 after a rename of the kind that only Linux has; else the number of the error."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return errno.ENOSYS
    failed = rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), how)
    return ctypes.get_errno() if failed else 0


def _sync(part: Path) -> None:
    for file in (*part.rglob("*"), part) if part.is_dir() else (part,):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        elif file.is_dir():
            _sync_folder(file)


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        with contextlib.suppress(OSError):  # not every file system can
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _keep_mode(part: Path, target: Path) -> None:
    """Who could not read the old file cannot read the new one."""
    if target.is_file() and part.is_file():
        with contextlib.suppress(OSError):
            shutil.copymode(target, part)


def _reason(error: OSError, stage: Path) -> str:
    """What the system says, also where a library keeps it to itself: NumPy tells only how much it has written."""
    if error.strerror:
        return error.strerror
    if number := re.search(r"\(os error (\d+)\)", str(error)):
        return os.strerror(int(number[1]))
    try:
        for part in (stage / "new").iterdir():
            if part.is_file():
                with part.open("ab") as file:
                    file.write(bytes(_MORE))
    except OSError as again:
        return again.strerror or str(error)
    return str(error)


def check_target(path: Path, *, force: bool, folder: bool = False) -> None:
    """Refuse a place that cannot be written, or that is taken unless `force`; `folder`: a folder is to be there."""
    try:
        _check_target(path, force, folder)
    except OSError as error:  # a name too long, a broken mount
        raise UnwritableFile(f"{path} cannot be written: {error.strerror or error}.") from error


def _check_target(path: Path, force: bool, folder: bool) -> None:
    parent = path.parent
    if os.path.islink(os.path.realpath(path)):
        raise UnwritableFile(f"{path} is a link that leads back to itself, so nothing can be written there.")
    if path.is_dir() and not folder:
        raise UnwritableFile(f"{path} is a folder; give the name of a file to write.")
    if not parent.is_dir():
        raise UnwritableFile(f"There is no folder {parent} to write {path.name} in.")
    if path.exists() and not (path.is_dir() if folder else path.is_file()):
        raise UnwritableFile(f"{path} is not an ordinary {'folder' if folder else 'file'}, so it is not replaced.")
    if path.exists() and not force:
        raise UnwritableFile(f"{path} is already there; add force=True to replace it.")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UnwritableFile(f"{path} may not be written: permission denied in {os.path.realpath(parent)}.")
