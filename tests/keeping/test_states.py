"""Kept states: an iteration that was killed goes on from its state, to the same bits."""

from __future__ import annotations

import errno
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorfill
from tensorfill.completion import Snapshot, StopReason
from tensorfill.estimates.estimate import ConstantEstimate
from tensorfill.iterating import NoFurtherStep, Solver, follow, iterate, keeping_states
from tensorfill.keeping import states as room
from tensorfill.keeping.files import write_kept
from tensorfill.keeping.states import KeptStates
from tensorfill.tiles.checkpoint import Checkpoint

KEY = b"k" * 32
ROWS, COLUMNS, FRAMES = np.ogrid[:20, :16, :5]
TENSOR = 0.5 + 0.3 * np.sin(ROWS / 7 + FRAMES / 5) * np.cos(COLUMNS / 6)
TENSOR += 0.05 * np.random.default_rng(0).random(TENSOR.shape)
KNOWN = np.random.default_rng(1).random(TENSOR.shape) < 0.4


@pytest.fixture(autouse=True)
def every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every state be kept, however long that takes."""
    monkeypatch.setattr(room, "_SHARE", 0)


class Killed(Exception):
    """What ends a run in these tests."""


class Walk(Solver):
    """A random walk of ten steps, with random numbers of whoever has made it."""

    def __init__(self, rng: np.random.Generator, scale: float = 1.0) -> None:
        self.rng, self.scale, self.path = rng, scale, np.zeros(1)

    @property
    def cost(self) -> float:  # type: ignore[override]
        return float(self.path[-1])

    @property
    def measures(self) -> dict[str, float]:
        return {"length": float(len(self.path))}

    def step(self) -> None:
        self.path = np.append(self.path, self.path[-1] + self.scale * self.rng.standard_normal())

    def estimate(self) -> ConstantEstimate:
        return ConstantEstimate((2, 2), self.cost)

    def finished(self) -> StopReason | None:
        return StopReason("done", "Done.") if len(self.path) > 10 else None


class Unpicklable(Walk):
    """One that cannot be kept."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.secret: Callable[[], None] = lambda: None


class TwoStages(Walk):
    """Every step is an iteration of its own."""

    def step(self) -> None:
        inner = Walk(self.rng)
        iterate(follow(inner), 99, None)
        self.path = np.append(self.path, inner.cost)


def walk(folder: Path, die_at: int = 99, seed: int = 1, kind: type[Walk] = Walk, **more: Any) -> tuple[Any, ...]:
    """Two walks after each other with the same random numbers; how many steps were made, and states kept."""
    rng, states, made = np.random.default_rng(seed), KeptStates(folder, "run", KEY, every=0), [0]

    def watch(snapshot: Snapshot) -> bool:
        made[0] += 1
        if made[0] == die_at:
            raise Killed
        return False

    with keeping_states(states):
        found = [iterate(follow(kind(rng, **more)), 99, watch) for _ in range(2)]
    told = [[(step.cost, step.measures["length"]) for step in each.history] for each in found]
    return told, rng.random(), states


@pytest.mark.parametrize("die_at", [2, 5, 10, 11, 12, 13, 20, 22])
@pytest.mark.parametrize("kind", [Walk, TwoStages])
def test_it_goes_on_to_the_same_bits_with_the_same_random_numbers(tmp_path: Path, die_at: int, kind: Any) -> None:
    whole = walk(tmp_path / "nowhere", kind=kind)
    (tmp_path / "kept").mkdir()
    with pytest.raises(Killed):
        walk(tmp_path / "kept", die_at, kind=kind)
    again = walk(tmp_path / "kept", kind=kind)
    assert again[:2] == whole[:2]
    assert again[2].resumed >= (1 if die_at < 13 else 2)


def test_steps_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Killed):
        walk(tmp_path, die_at=16)
    steps = []
    step = Walk.step
    monkeypatch.setattr(Walk, "step", lambda self: (steps.append(1), step(self)))
    walk(tmp_path)
    assert len(steps) == 20 - 14


def test_one_that_starts_otherwise_begins_at_the_beginning(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        walk(tmp_path, die_at=8)
    assert walk(tmp_path, scale=2.0)[2].resumed == 0
    assert walk(tmp_path, seed=2)[2].resumed == 0
    assert walk(tmp_path)[2].resumed == 1


def test_without_keeping_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(iterate(follow(Walk(np.random.default_rng(0))), 99, None).history) == 11
    assert os.listdir(tmp_path) == []


def test_states_are_kept_now_and_then_and_at_the_end_of_long_iterations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_SHARE", 30)
    now, written = [0.0], []
    monkeypatch.setattr(room.time, "monotonic", lambda: now[0])
    write = KeptStates.write

    def count(self: KeptStates, *given: Any) -> bool:
        written.append(now[0])
        now[0] += 4  # which is slow
        return write(self, *given)

    monkeypatch.setattr(KeptStates, "write", count)
    with keeping_states(KeptStates(tmp_path, "run", KEY, every=60)):
        for _ in follow(solver := Walk(np.random.default_rng(0))):
            now[0] += 25
            if solver.finished():
                break
    assert written == [75, 204, 258], "after 60 s, then after 30 times as long as that took, and at the end"


def test_what_cannot_be_pickled_or_written_goes_on_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert walk(tmp_path, kind=Unpicklable)[:2] == walk(tmp_path / "nowhere")[:2]
    assert os.listdir(tmp_path) == []

    def fail(*given: Any, **more: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(room, "write_kept", fail)
    told, _, states = walk(tmp_path)
    assert len(told[0]) == 11
    assert states.notes[0].endswith("(No space left on device), so the run goes on without.")
    assert len(states.notes) == 1


def test_no_further_step_passes(tmp_path: Path) -> None:
    class Stuck(Walk):
        def step(self) -> None:
            raise NoFurtherStep("It is stuck.")

    with keeping_states(KeptStates(tmp_path, "run", KEY, every=0)):
        assert iterate(follow(Stuck(np.random.default_rng(0))), 99, None).stop.sentence == "It is stuck."


# Whose they are


class Bomb:
    """A pickle that writes a file when it is read."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.place,)


def test_a_file_that_somebody_else_has_written_is_never_unpickled(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        walk(tmp_path, die_at=8)
    (kept,) = tmp_path.glob("state-*.kept")
    start = kept.name.removeprefix("state-").removesuffix(".kept")
    facts = {"start": start, "begun": 1, "steps": [[0.0, {}]]}
    bomb = [pickle.dumps([]), pickle.dumps(Bomb(tmp_path / "exploded"))]
    for key in (b"", b"another"):
        write_kept(kept, facts, bomb, key=key)
        assert walk(tmp_path)[2].resumed <= 1
        assert not (tmp_path / "exploded").exists()
    write_kept(kept, facts, bomb, key=KEY)
    walk(tmp_path)
    assert (tmp_path / "exploded").exists(), "only the key has kept it from being read"


def test_a_damaged_one_is_as_good_as_none(tmp_path: Path) -> None:
    whole = walk(tmp_path / "nowhere")
    with pytest.raises(Killed):
        walk(tmp_path, die_at=8)
    (kept,) = tmp_path.glob("state-*.kept")
    kept.write_bytes(kept.read_bytes()[:-1])
    again = walk(tmp_path)
    assert again[:2] == whole[:2]
    assert again[2].resumed == 0


# Methods


def complete(method: str, folder: Path | None, die_at: int = 10**9) -> tuple[tensorfill.Completion, int, KeptStates]:
    states, made = KeptStates(folder or Path(), "run", KEY, every=0), [0]

    def watch(snapshot: Snapshot) -> bool:
        made[0] += 1
        if made[0] == die_at:
            raise Killed
        return False

    with keeping_states(None if folder is None else states):
        done = tensorfill.complete(TENSOR, KNOWN, method, watch=watch, random_state=3)
    return done, made[0], states


@pytest.mark.parametrize("method", tensorfill.available_methods())
def test_every_method_goes_on_to_the_same_bits(method: str, tmp_path: Path) -> None:
    whole, steps, _ = complete(method, None)
    for number, die_at in enumerate(sorted({2, max(2, steps // 2), steps} if method != "auto" else {steps // 2})):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(Killed):
            complete(method, folder, die_at)
        again, _, states = complete(method, folder)
        assert again.tensor.tobytes() == whole.tensor.tobytes()
        assert again.model.tobytes() == whole.model.tobytes()
        assert [step.cost for step in again.history] == [step.cost for step in whole.history]
        assert again.stop == whole.stop
        assert states.resumed >= 1


def test_through_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    whole = tensorfill.complete(TENSOR, KNOWN, "spectral")

    def die(snapshot: Snapshot) -> bool:
        if snapshot.step.iteration == 4:
            raise Killed
        return False

    with (
        Checkpoint(tmp_path / "kept", {"input": "a"}) as checkpoint,
        checkpoint.keep_states(every=0),
        pytest.raises(Killed),
    ):
        tensorfill.complete(TENSOR, KNOWN, "spectral", watch=die)
    with Checkpoint(tmp_path / "kept", {"input": "a"}) as checkpoint:
        with checkpoint.keep_states(every=0):
            again = tensorfill.complete(TENSOR, KNOWN, "spectral")
        assert "went on from where an earlier run had come" in checkpoint.notes[0]
        checkpoint.remove()
    assert again.tensor.tobytes() == whole.tensor.tobytes()
    assert os.listdir(tmp_path) == ["state"]
