"""Tensors in tiles: all that holds for a whole tensor holds for one that is cut."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorfill
from tensorfill.bounds import Bounds
from tensorfill.completion import Snapshot
from tensorfill.errors import InvalidInput, InvalidSetting
from tensorfill.large import planning
from tensorfill.large.on_disk import Output, complete_on_disk, run_identity, settled_tiling
from tensorfill.large.planning import plan, plan_for
from tensorfill.methods.spectral import Spectral
from tensorfill.methods.task import Asked, Task
from tensorfill.observed import ObservedTensor
from tensorfill.tiles.checkpoint import Checkpoint
from tensorfill.tiles.tensors import InMemory, choose_windows, rank_windows, survey
from tensorfill.tiles.tiling import given_tiles

ROWS, COLUMNS, FRAMES = np.ogrid[:60, :50, :10]
CLIP = 0.5 + 0.3 * np.sin(ROWS / 7 + FRAMES / 5) * np.cos(COLUMNS / 6) + 0.1 * np.sin(ROWS * COLUMNS / 300)
KNOWN = np.random.default_rng(1).random(CLIP.shape) < 0.3
TILE = (30, 25, 10)


def rmse(found: Any) -> float:
    return float(np.sqrt(np.mean((np.asarray(found, float) - CLIP) ** 2)))


@pytest.fixture(scope="module")
def done() -> tensorfill.Completion:
    return tensorfill.complete(CLIP, KNOWN, "spectral", tile=TILE)


def test_tiles_are_about_as_good_as_the_whole(done: tensorfill.Completion) -> None:
    whole = tensorfill.complete(CLIP, KNOWN, "spectral", tile=None)
    assert rmse(done.tensor) < 1.15 * rmse(whole.tensor)
    assert "4 (2 × 2 × 1)" in done.reasons["tiles"]
    assert "tiles" not in whole.reasons


def test_there_is_no_seam(done: tensorfill.Completion) -> None:
    errors = np.abs(done.tensor - CLIP)
    near = np.zeros(CLIP.shape, bool)
    near[26:34] = near[:, 21:29] = True
    assert errors[near & ~KNOWN].mean() < 1.3 * errors[~near & ~KNOWN].mean()
    steps = np.abs(np.diff(done.model, axis=0)).mean(axis=(1, 2))
    assert steps[29] < 1.5 * steps.max(where=np.arange(59) != 29, initial=0)


def test_known_entries_are_kept_and_nothing_is_negative(done: tensorfill.Completion) -> None:
    assert np.array_equal(done.tensor[KNOWN], CLIP[KNOWN])
    assert done.model.min() >= 0


def test_the_same_seed_gives_the_same_bits(done: tensorfill.Completion) -> None:
    again = tensorfill.complete(CLIP, KNOWN, "spectral", tile=TILE)
    assert again.tensor.tobytes() == done.tensor.tobytes()


def test_it_predicts_and_can_be_pickled(done: tensorfill.Completion) -> None:
    where = np.array([[0, 0, 0], [29, 24, 9], [30, 25, 5]])
    np.testing.assert_array_equal(done.predict(where), done.tensor[tuple(where.T)])
    assert np.array_equal(pickle.loads(pickle.dumps(done)).tensor, done.tensor)


def test_uncertainty_is_about_that_of_the_whole(done: tensorfill.Completion) -> None:
    assert (done.uncertainty[KNOWN] == 0).all()
    hidden = ~KNOWN
    within = np.abs(done.tensor - CLIP)[hidden] < 2 * done.uncertainty[hidden]
    assert 0.85 < within.mean() <= 1


def test_the_certificate_is_that_of_each_tile(done: tensorfill.Completion) -> None:
    assert done.certificate is None
    assert "Of each tile by itself" in done.reasons["certificate"]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.float32, np.float64])
def test_every_dtype_comes_back(dtype: Any) -> None:
    scale = 1 if np.dtype(dtype).kind == "f" else 200
    data = (scale * CLIP).astype(dtype)
    found = tensorfill.complete(data, KNOWN, "linear", tile=TILE)
    assert found.tensor.dtype == dtype
    assert np.array_equal(found.tensor[KNOWN], data[KNOWN])


@pytest.mark.parametrize("method", ["patches", "auto", "linear", "halrtc", "nonneg-dual", "ncpc"])
def test_every_kind_of_method_completes_tiles(method: str) -> None:
    found = tensorfill.complete(CLIP[:, :, :6], KNOWN[:, :, :6], method, tile=(30, 50, 6))
    assert found.method == method
    assert np.isfinite(found.tensor).all()
    assert found.tensor.min() >= 0


def test_other_bounds_are_kept() -> None:
    found = tensorfill.complete(CLIP - 0.5, KNOWN, "spectral", tile=TILE, lower=None, upper=0.4)
    assert found.model.max() <= 0.4
    assert found.tensor.min() < 0
    with pytest.raises(InvalidInput, match="negative"):
        tensorfill.complete(CLIP - 0.5, KNOWN, "spectral", tile=TILE)
    clipped = tensorfill.complete(CLIP - 0.5, KNOWN, "spectral", tile=TILE, negatives="clip")
    assert clipped.tensor.min() == 0
    assert any("set to 0" in note for note in clipped.notes)


def test_a_tile_of_which_nothing_is_known_is_told_of() -> None:
    known = KNOWN.copy()
    known[:, :, 0] = False
    known[28:] = False
    found = tensorfill.complete(CLIP, known, "linear", tile=(10, 10, 10))
    assert any("Nothing is known in some tiles" in note for note in found.notes)
    assert np.isfinite(found.tensor).all()


def test_a_tile_in_which_nothing_is_missing_is_not_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[tuple[int, ...]] = []
    solve = Task.solve

    def count(task: Task, *given: Any, **options: Any) -> Any:
        solved.append(task.data.shape)
        return solve(task, *given, **options)

    monkeypatch.setattr(Task, "solve", count)
    known = np.ones(CLIP.shape, bool)
    known[5:8, 5:8] = False  # seen by one tile alone
    known[45, 20] = False  # two tiles look that far, and in one of them it counts
    found = tensorfill.complete(CLIP, known, "linear", tile=(30, 35, 10), lower=0)
    assert len(solved) == 2
    assert np.array_equal(found.tensor[known], CLIP[known])
    assert np.isfinite(found.model).all()
    assert rmse(found.tensor) < 0.02


# Stopping


def test_the_watcher_sees_every_tile_and_stops_it() -> None:
    seen: list[Snapshot] = []

    def watch(snapshot: Snapshot) -> bool:
        seen.append(snapshot)
        return len(seen) == 2

    found = tensorfill.complete(CLIP, KNOWN, "spectral", tile=TILE, watch=watch)
    assert found.stop.kind == "watch"
    assert "2 of 4 tiles" in found.stop.sentence
    assert np.isfinite(found.tensor).all()
    assert seen[-1].estimate.dense().shape == CLIP.shape


def test_at_the_time_limit_the_rest_is_interpolated() -> None:
    found = tensorfill.complete(CLIP, KNOWN, "spectral", tile=(20, 10, 10), time_limit=0.05)
    assert found.stop.kind == "time"
    assert rmse(found.tensor) < CLIP.std()
    assert np.array_equal(found.tensor[KNOWN], CLIP[KNOWN])


def test_ctrl_c_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    complete = Spectral.complete

    def interrupt(self: Spectral, *args: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return complete(self, *args, **more)

    monkeypatch.setattr(Spectral, "complete", interrupt)
    monkeypatch.setattr(Spectral, "learn", lambda self, samples, **more: self)
    found = tensorfill.complete(CLIP, KNOWN, "spectral", tile=TILE)
    assert found.stop.kind == "interrupted"
    assert "2 of 4 tiles" in found.stop.sentence


# When, and how


def test_small_tensors_are_never_cut_unless_asked() -> None:
    asked = Asked.of("auto", {}, Bounds(), "raise")
    assert plan((100, 100, 100), asked, 0.1, "auto") is None


def test_what_does_not_fit_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked.of("patches", {}, Bounds(), "raise")
    monkeypatch.setattr(planning, "available_memory", lambda: 10**9)
    tiling = plan((480, 854, 300, 3), asked, 0.1, "auto", leading=2)
    assert tiling is not None
    assert tiling.count > 1
    assert plan((480, 854, 300, 3), asked, 0.1, None) is None
    monkeypatch.setattr(planning, "available_memory", lambda: 10**13)
    assert plan((480, 854, 300, 3), asked, 0.1, "auto") is None
    assert plan_for((480, 854, 300, 3), asked.method, 0.1, at_a_time=4).count > plan_for(
        (480, 854, 300, 3), asked.method, 0.1
    ).count  # fmt: skip


@pytest.mark.parametrize("tile", ["big", 0, -3, True, 2.5, (10, 10), (10, 10, 1), (10, 10, "x")])
def test_what_is_no_tile_is_refused(tile: Any) -> None:
    with pytest.raises(InvalidSetting, match="'tile' must be 'auto', None, a whole number above 1"):
        tensorfill.complete(CLIP, KNOWN, "linear", tile=tile)


def test_coordinates_are_never_made_full() -> None:
    rows = np.argwhere(KNOWN)[:500]
    listed = ObservedTensor.from_coordinates(rows, CLIP[tuple(rows.T)], (10**5, 10**5, 10**5))
    with pytest.warns(tensorfill.errors.UnrecoverableSlice):
        assert "tiles" not in tensorfill.complete(listed, method="ncpc", rank=2, max_iter=2).reasons


# Windows to learn from


def test_windows_are_where_the_data_varies() -> None:
    values = np.zeros((600, 600, 80), np.float32)
    values[400:] = np.random.default_rng(0).random((200, 600, 80))
    parts = choose_windows(InMemory(values, np.ones(values.shape, bool)), 1.0)
    deviations = [part.std() for part, _ in parts]
    assert deviations[0] > 0.2
    assert len(parts) == 3
    assert deviations == sorted(deviations, reverse=True)
    assert deviations[-1] < deviations[0]


def test_windows_have_about_the_known_share_of_the_whole() -> None:
    rng = np.random.default_rng(0)
    odd = (rng.random((20, 20)), rng.random((20, 20)) < 0.9)
    usual = [(0.1 * rng.random((20, 20)), rng.random((20, 20)) < 0.1) for _ in range(3)]
    assert 0 not in rank_windows([odd, *usual], 0.1)


# On disk


def test_on_disk_it_is_the_same_bits(done: tensorfill.Completion) -> None:
    tensor = InMemory(CLIP, KNOWN)
    asked = Asked.of("spectral", {}, Bounds(), "raise")
    tiling = given_tiles(CLIP.shape, TILE)
    out = np.empty_like(CLIP)
    unsure = np.empty(CLIP.shape, np.float32)
    ends: list[int] = []
    seed = int(np.random.default_rng(0).integers(2**62))
    seen = survey(tensor, asked.bounds, "raise", 0)
    told = complete_on_disk(tensor, asked, tiling, seen, seed, Output(out, unsure, done=ends.append))
    assert np.array_equal(out, done.tensor)
    np.testing.assert_allclose(unsure, done.uncertainty, rtol=1e-5)
    assert ends[-1] == CLIP.shape[0]
    assert (told.observed.count, told.observed.share) == (KNOWN.sum(), KNOWN.mean())
    assert told.reasons["tiles"] == done.reasons["tiles"]


def test_a_run_that_was_killed_goes_on_to_the_same_bits(done: tensorfill.Completion, tmp_path: Path) -> None:
    tensor, asked = InMemory(CLIP, KNOWN), Asked.of("spectral", {}, Bounds(), "raise")
    seed = int(np.random.default_rng(0).integers(2**62))
    seen = survey(tensor, asked.bounds, "raise", 0)
    identity = run_identity("a clip", asked, seed, TILE, CLIP.shape, deviations=False)

    def run(until: int, tile: tuple[int, ...] = TILE) -> tuple[Any, Any]:
        out = np.empty_like(CLIP)
        seen_steps: list[int] = []

        def die(snapshot: Snapshot) -> bool:
            seen_steps.append(snapshot.step.iteration)
            if len(seen_steps) == until:
                raise ZeroDivisionError
            return False

        with Checkpoint(tmp_path / "kept", identity) as checkpoint:
            tiling = settled_tiling(checkpoint, given_tiles(CLIP.shape, tile))
            told = complete_on_disk(tensor, asked, tiling, seen, seed, Output(out), watch=die, checkpoint=checkpoint)
            checkpoint.remove()
        return out, told

    with pytest.raises(ZeroDivisionError):
        run(until=3)
    out, told = run(until=99, tile=(20, 20, 10))  # less memory is free now
    assert np.array_equal(out, done.tensor)
    assert any("3 tiles were not computed again" in note for note in told.notes)
    assert told.reasons["tiles"] == done.reasons["tiles"]
    assert not (tmp_path / "kept").exists()


def test_what_answers_depend_on_is_told_apart() -> None:
    def told(**changed: Any) -> dict[str, str]:
        settings = {"effort": "low", "weights": np.arange(9)} | changed.pop("settings", {})
        asked = Asked(Spectral(), settings, changed.pop("bounds", Bounds()))
        given: dict[str, Any] = {"source": "a", "seed": 1, "tile": "auto", "shape": (3, 4), "deviations": False}
        return run_identity(asked=asked, **(given | changed))

    changes: list[dict[str, Any]] = [
        {"source": "b"},
        {"settings": {"effort": "high"}},
        {"settings": {"weights": np.arange(9) * 1.0}},
        {"settings": {"more": "x" * 200}},
        {"bounds": Bounds.of(0, 1)},
        {"seed": 2},
        {"tile": 32},
        {"shape": (4, 3)},
        {"deviations": True},
    ]
    found = [tuple(told(**change).values()) for change in [{}, *changes]]
    assert len(set(found)) == len(found)
    assert told() == told()


def test_a_survey_says_where_in_the_whole_something_is_wrong() -> None:
    bad = CLIP.copy()
    bad[40, 3, 2] = np.nan
    with pytest.raises(InvalidInput, match=r"\(40, 3, 2\)"):
        survey(InMemory(bad, np.ones(bad.shape, bool)), Bounds(), "raise", 0)
    bad[40, 3, 2] = -5
    with pytest.raises(InvalidInput, match=r"-5.0 at \(40, 3, 2\)"):
        survey(InMemory(bad, np.ones(bad.shape, bool)), Bounds(), "raise", 1)
    with pytest.raises(InvalidInput, match="Nothing is observed"):
        survey(InMemory(CLIP, np.zeros(CLIP.shape, bool)), Bounds(), "raise", 0)
