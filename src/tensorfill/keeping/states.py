"""Kept states: where the iterations of a run stand, so that one that was killed goes on from there.

A state is a pickle, which runs code when it is read. So each file is sealed with the key of its user, and one that
somebody else has written is never looked into.

The state of an iteration belongs to the run, to its place among the iterations of the run, and to how it starts:
whoever starts otherwise, say because there was less time for what came before, begins at the beginning.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .files import Damaged, Kept, read_kept, write_kept

EVERY = 60.0
"""Seconds between two states that are kept."""
_SHARE = 30  # keeping a state takes at most one in so many seconds
_WORTH_IT = 5.0  # seconds of work from which on the end of an iteration is kept, too
_DEPTH = 6  # of settings within settings

Step = tuple[float, Mapping[str, float]]
"""What there was to tell about a state: its cost, and what else is measured."""


class KeptStates:
    """The states of the iterations of one run, in a folder."""

    def __init__(self, folder: Path, run: str, key: bytes, every: float = EVERY) -> None:
        self.notes: list[str] = []
        self.resumed = 0
        """How many iterations have gone on from a state that was kept."""
        self._folder, self._run, self._key, self.every = folder, run, key, every
        self._begun = 0
        self._writable = True

    def begin(self, solver: Any) -> Track:
        """An iteration begins, where this solver is."""
        number, self._begun = self._begun, self._begun + 1
        words = [self._run, str(number), repr(solver.cost), *_describe(solver), *map(str, _generator_states(solver))]
        words += _describe(solver.estimate(), contents=True)
        return Track(self, hashlib.blake2b("\n".join(words).encode(), digest_size=16).hexdigest())

    def path(self, start: str) -> Path:
        """The file of an iteration that starts like this."""
        return self._folder / f"state-{start}.kept"

    def read(self, start: str) -> Kept | None:
        """What is kept of an iteration; None if there is nothing, or nothing of ours."""
        try:
            found = read_kept(self.path(start), key=self._key)
        except (OSError, Damaged):
            return None
        if found.facts["start"] != start:
            return None
        self._begun = found.facts["begun"]
        return found

    def write(self, start: str, steps: list[Step], pickled: list[Any]) -> bool:
        """Keep a state; whether it could be."""
        facts = {"start": start, "begun": self._begun, "steps": steps}
        try:
            if self._writable:
                write_kept(self.path(start), facts, pickled, key=self._key)
        except OSError as error:
            self._writable = False
            self.notes.append(
                f"The state of the iteration cannot be kept in {self._folder} ({error.strerror or error}), so the run "
                "goes on without."
            )
        return self._writable


class Track:
    """The states of one iteration."""

    def __init__(self, states: KeptStates, start: str) -> None:
        self._states, self._start = states, start
        self._steps: list[Step] = []
        self._last = time.monotonic()
        self._pause = states.every
        self._off = False

    def go_on(self, solver: Any) -> list[Step]:
        """Put a solver where it was; what there was to tell about the states before."""
        kept = self._states.read(self._start)
        if kept is None or not _restore(solver, kept):
            return []
        self._states.resumed += 1
        self._last = time.monotonic()
        self._steps = [(cost, measures) for cost, measures in kept.facts["steps"]]
        return list(self._steps)

    def offer(self, solver: Any, cost: float, measures: Mapping[str, float], *, last: bool) -> None:
        """A state that could be kept, if it is time for that."""
        passed = time.monotonic() - self._last
        due = passed >= self._pause or (last and passed >= min(_WORTH_IT, self._pause))
        if self._steps and due and not self._off:
            began = time.monotonic()
            pickled = _pickle(solver)
            self._off = pickled is None or not self._states.write(self._start, self._steps, pickled)
            self._last = time.monotonic()
            self._pause = max(self._states.every, _SHARE * (self._last - began))
        self._steps.append((cost, dict(measures)))


# Solvers as blocks of bytes. Generators of random numbers are those of whoever called, too, so they stay where they are


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, **options: Any) -> None:
        super().__init__(file, protocol=5, **options)
        self.generators: list[np.random.Generator] = []

    def persistent_id(self, value: Any) -> int | None:
        if not isinstance(value, np.random.Generator):
            return None
        for place, known in enumerate(self.generators):
            if known is value:
                return place
        self.generators.append(value)
        return len(self.generators) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: memoryview, generators: list[np.random.Generator], **options: Any) -> None:
        super().__init__(io.BytesIO(content), **options)
        self._generators: Sequence[np.random.Generator] = generators

    def persistent_load(self, place: Any) -> np.random.Generator:
        return self._generators[int(place)]


def _dump(solver: Any) -> tuple[bytes, list[pickle.PickleBuffer], list[np.random.Generator]] | None:
    """A pickle, arrays that need not be copied, and generators; None if it is no solver that can be pickled."""
    file = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    pickler = _Pickler(file, buffer_callback=buffers.append)
    try:
        pickler.dump(solver)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    # With several, nobody could tell which is which when the solver is put where it was.
    return (file.getvalue(), buffers, pickler.generators) if len(pickler.generators) <= 1 else None


def _pickle(solver: Any) -> list[Any] | None:
    found = _dump(solver)
    if found is None:
        return None
    content, buffers, generators = found
    states = pickle.dumps([each.bit_generator.state for each in generators])
    return [states, content, *(buffer.raw() for buffer in buffers)]


def _restore(solver: Any, kept: Kept) -> bool:
    """Let a solver have the state that was kept, and generators theirs; whether that could be."""
    fresh = _dump(solver)
    if fresh is None:
        return False
    generators = fresh[2]
    states, content, *buffers = kept.blocks
    try:
        found = pickle.loads(states)
        restored = _Unpickler(content, generators, buffers=buffers).load()
    except Exception:  # of another version of a library, say: the iteration begins at the beginning
        return False
    if type(restored) is not type(solver) or len(found) != len(generators):
        return False
    for generator, state in zip(generators, found, strict=True):
        generator.bit_generator.state = state
    vars(solver).clear()
    vars(solver).update(vars(restored))
    return True


def _generator_states(solver: Any) -> list[Any]:
    found = _dump(solver)
    return [] if found is None else [each.bit_generator.state for each in found[2]]


def _describe(value: Any, depth: int = 0, *, contents: bool = False) -> list[str]:
    """What kind of thing it is, and with which settings; the same whatever has been looked up in it.

    Arrays with their contents, if asked for: solvers have some that are not filled yet, estimates have not.
    """
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return [repr(value)]
    if isinstance(value, np.ndarray):
        return [f"{value.dtype} {value.shape}", *([_digest(value)] if contents else [])]
    if depth > _DEPTH:
        return [kind]
    inside: Mapping[Any, Any] = {}
    if isinstance(value, Mapping):
        inside = value
    elif isinstance(value, tuple | list):
        inside = dict(enumerate(value))
    elif is_dataclass(value) and not isinstance(value, type):
        inside = {each.name: getattr(value, each.name) for each in fields(value)}
    elif not depth:
        with suppress(TypeError):
            inside = vars(value)
    words = [kind]
    for name, part in inside.items():
        words += [str(name), *_describe(part, depth + 1, contents=contents)]
    return words


def _digest(array: NDArray[Any]) -> str:
    if array.dtype.hasobject or not array.size:
        return ""
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
    return hashlib.blake2b(content, digest_size=16).hexdigest()
