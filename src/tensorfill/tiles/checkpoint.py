"""Checkpoint: a folder with the tiles that are finished, so that a run that was killed goes on where it was.

    tensorfill-checkpoint.kept    which run it belongs to, and what that has settled
    tile-000007.kept              the answer to one question; whole, or not there
    state-0f3a….kept              where an iteration stands, for what is completed whole
    lock                          held by the run that is under way, as long as it lives

Answers have the same bits whoever finds them, so a run that takes some of them from here ends with the same bits.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from ..errors import InvalidInput
from ..iterating import keeping_states
from ..keeping.files import PART, Block, Damaged, read_kept, write_kept
from ..keeping.key import user_key
from ..keeping.states import EVERY, KeptStates
from .answer import TileAnswer

MANIFEST = "tensorfill-checkpoint.kept"
_LOCK = "lock"
_TILE = re.compile(r"tile-(\d{6,})\.kept")
_OURS = re.compile(rf"{re.escape(MANIFEST)}|{_LOCK}|[a-z]+-[0-9a-f]+\.kept|\..*{re.escape(PART)}")
_VERSION = 1
_SHORT = 40  # characters of a value that is shown where it has changed


class Checkpoint:
    """The kept tiles of one run. Where nothing can be written, the run goes on without it, and `notes` says so."""

    def __init__(self, folder: Path, identity: Mapping[str, str], *, fresh: bool = False) -> None:
        """Open the folder, or make it.

        `identity` says what an answer depends on: the input, the method and its settings, the seed and so on, each in
        a few words or as a fingerprint. A checkpoint of another run is refused, unless it is to be begun `fresh`.
        """
        self.folder = folder
        self.reused: set[int] = set()
        """Tiles that need not be computed, because they were here."""
        self.computed: set[int] = set()
        """Tiles that this run has kept."""
        self._identity = {"tensorfill": _own_version(), **identity}
        self._run = hashlib.blake2b(json.dumps(self._identity, sort_keys=True).encode(), digest_size=16).hexdigest()
        self._settled: dict[str, Any] = {}
        self._said: list[str] = []
        self._there: set[int] = set()
        self._damaged: set[int] = set()
        self._lock: int | None = None
        self._writable = True
        self._states: KeptStates | None = None
        _refuse_foreign(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._give_up(error)
            return
        self._lock = _lock_folder(folder)
        try:
            self._open(fresh)
        except BaseException:
            self.close()
            raise

    # What is kept

    def has(self, number: int) -> bool:
        """Whether a tile seems to be here; it may still prove damaged."""
        return number in self._there

    def find(self, number: int) -> TileAnswer | None:
        """The answer for a tile; None if it is not here, or damaged."""
        try:
            kept = read_kept(self._path(number))
        except FileNotFoundError:
            self._there.discard(number)
            return None
        except (OSError, Damaged):
            self._damaged.add(number)
            self._there.discard(number)
            return None
        if kept.facts["run"] != self._run or kept.facts["number"] != number:
            self._there.discard(number)
            return None
        if number not in self.computed:
            self.reused.add(number)
        return _unpack(kept.facts, kept.blocks)

    def keep(self, number: int, answer: TileAnswer) -> None:
        """Keep an answer for good, if there is a place for it; one that was stopped early is not kept."""
        if not self._writable or not answer.whole:
            return
        facts, blocks = _pack(answer)
        try:
            write_kept(self._path(number), {"run": self._run, "number": number, **facts}, blocks)
        except OSError as error:
            self._give_up(error)
            return
        self.computed.add(number)
        self._there.add(number)

    def settle(self, name: str, value: Any) -> Any:
        """What this run has settled once for all, as JSON: what is kept of it, or else this value from here on.

        So what depends on the moment, such as how much memory is free, is the same when the run goes on.
        """
        if name not in self._settled:
            self._settled[name] = value
            self._write_manifest()
        return self._settled[name]

    def keep_states(self, every: float = EVERY) -> AbstractContextManager[None]:
        """In a `with` block, keep where iterations stand, too, for what is completed whole; see `keeping.states`."""
        key = user_key() if self._writable else None
        if key is None:
            return nullcontext()
        self._states = KeptStates(self.folder, self._run, key, every)
        return keeping_states(self._states)

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about it, a sentence each."""
        found = list(self._said)
        if self._damaged:
            found.append(f"{_count(self._damaged)} kept in {self.folder} damaged, and computed again.")
        if self.reused:
            found.append(f"{_count(self.reused)} not computed again: an earlier run had kept them in {self.folder}.")
        if self._states is not None:
            found += self._states.notes
            if self._states.resumed:
                found.append(f"It went on from where an earlier run had come, which was kept in {self.folder}.")
        return tuple(found)

    # The folder

    def remove(self) -> None:
        """Delete it: the output is whole. What is not ours stays where it is."""
        self._writable = False
        with suppress(OSError):
            ours = _names_of_ours(self.folder) - {_LOCK}
            for name in sorted(ours, key=lambda name: (name == MANIFEST, name)):
                (self.folder / name).unlink(missing_ok=True)
            (self.folder / _LOCK).unlink(missing_ok=True)
        self.close()
        with suppress(OSError):
            self.folder.rmdir()

    def close(self) -> None:
        """Let others have it; what is kept stays."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _path(self, number: int) -> Path:
        return self.folder / f"tile-{number:06}.kept"

    def _open(self, fresh: bool) -> None:
        """Go on with what is there, if it is of this run; else begin anew."""
        trouble: str | None = ""
        try:
            found: Mapping[str, Any] = read_kept(self.folder / MANIFEST).facts
            trouble = "" if fresh else self._compare(found)
        except FileNotFoundError:
            found = {}
        except (OSError, Damaged):
            found = {}
            trouble = "" if fresh else f"The checkpoint in {self.folder} was damaged; it is begun anew."
        if trouble is None:
            self._settled = dict(found["settled"])
            self._delete(only_parts=True)
            self._there = {int(tile[1]) for name in os.listdir(self.folder) if (tile := _TILE.fullmatch(name))}
            return
        if trouble:
            self._said.append(trouble)
        self._delete()
        self._write_manifest()

    def _compare(self, found: Mapping[str, Any]) -> str | None:
        """Why it has to be begun anew, if it has to; refused where that is the user's to say."""
        before = found["identity"]
        if found["version"] != _VERSION or before["tensorfill"] != self._identity["tensorfill"]:
            return (
                f"The checkpoint in {self.folder} was made by another version of tensorfill, which may find other "
                "bits; it is begun anew."
            )
        changed = [name for name in {**before, **self._identity} if before.get(name) != self._identity.get(name)]
        if not changed:
            return None
        told = [_tell_change(name, before.get(name), self._identity.get(name)) for name in changed]
        raise InvalidInput(
            f"The checkpoint in {self.folder} belongs to another run: {', '.join(told)}. Begin anew with fresh=True, "
            "or name another folder with checkpoint=."
        )

    def _delete(self, *, only_parts: bool = False) -> None:
        """What is ours: all of it, or what was being written when a run was killed."""
        try:
            for name in _names_of_ours(self.folder) - {_LOCK}:
                if not only_parts or name.endswith(PART):
                    (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            self._give_up(error)

    def _write_manifest(self) -> None:
        if self._writable:
            facts = {"version": _VERSION, "identity": self._identity, "settled": self._settled}
            try:
                write_kept(self.folder / MANIFEST, facts)
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        if self._writable:
            self._writable = False
            self._said.append(
                f"Nothing more can be kept in {self.folder} ({error.strerror or error}), so the run goes on without."
            )


def _own_version() -> str:
    try:
        return version("tensorfill")
    except PackageNotFoundError:
        return ""


def _count(tiles: set[int]) -> str:
    return "1 tile was" if len(tiles) == 1 else f"{len(tiles):,} tiles were"


def _tell_change(name: str, before: str | None, now: str | None) -> str:
    if before is not None and now is not None and max(len(before), len(now)) <= _SHORT:
        return f"its {name} is {before}, not {now}"
    return f"its {name} differs"


# An answer as facts and blocks of bytes


def _pack(answer: TileAnswer) -> tuple[dict[str, Any], list[Block]]:
    arrays = [("model", answer.model)] + ([] if answer.deviations is None else [("deviations", answer.deviations)])
    described = [[name, array.dtype.str, array.shape] for name, array in arrays]
    return {"answer": answer.facts, "arrays": described}, [np.ascontiguousarray(array).data for _, array in arrays]


def _unpack(facts: Mapping[str, Any], blocks: Sequence[memoryview]) -> TileAnswer:
    arrays = {
        name: np.frombuffer(block, dtype).reshape(shape)
        for (name, dtype, shape), block in zip(facts["arrays"], blocks, strict=True)
    }
    return TileAnswer(facts=facts["answer"], **arrays)


# Folders


def _names_of_ours(folder: Path) -> set[str]:
    return {name for name in os.listdir(folder) if _OURS.fullmatch(name)}


def _refuse_foreign(folder: Path) -> None:
    """Refuse what is no folder, and a folder that holds something else: its files must be safe."""
    try:
        there = os.listdir(folder)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise InvalidInput(f"{folder} is a file; a checkpoint needs a folder, or a name that is free.") from None
    except OSError as error:
        raise InvalidInput(f"The folder {folder} cannot be read: {error.strerror or error}.") from error
    foreign = sorted(name for name in there if not _OURS.fullmatch(name))
    if foreign and MANIFEST not in there:
        raise InvalidInput(
            f"The folder {folder} holds {foreign[0]}, which is not of a checkpoint; name an empty folder, or one that "
            "is not there yet."
        )


def _lock_folder(folder: Path) -> int | None:
    """Hold the folder until the descriptor is closed, or the process ends; None where there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = None
    for how in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):  # a folder that cannot be written may still be read
        with suppress(OSError):
            descriptor = os.open(folder / _LOCK, how, 0o644)
            break
    if descriptor is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InvalidInput(
            f"Another run is using the checkpoint in {folder} right now; wait for it to end, or name another folder "
            "with checkpoint=."
        ) from None
    except OSError:  # a network's file system
        os.close(descriptor)
        return None
    return descriptor
