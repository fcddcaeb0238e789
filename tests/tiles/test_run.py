"""A run over all tiles: blended without a seam, in the order of tiles whoever is first, stopped without loss."""

from __future__ import annotations

import random
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.interrupting import TimeIsUp, time_limited
from tensorfill.telling import Phase, Round, listening
from tensorfill.tiles.answer import TileAnswer, TileQuestion
from tensorfill.tiles.blending import Rows, blend_one
from tensorfill.tiles.run import ThisThread, TileRun, Workers
from tensorfill.tiles.tiling import Tile, Tiling, given_tiles

TRUTH = np.random.default_rng(0).random((40, 30, 20)).astype(np.float32)
TILING = given_tiles(TRUTH.shape, (12, 10, 20), leading=1, overlap=6)


def ask(tile: Tile) -> TileQuestion:
    return TileQuestion(tile.number, TRUTH[tile.reach], np.ones(TRUTH[tile.reach].shape, bool))


def repeat(question: TileQuestion) -> TileAnswer:
    return TileAnswer(question.values, question.values / 2, {"stop": ("done", "")})


def say_number(question: TileQuestion) -> TileAnswer:
    return TileAnswer(np.full_like(question.values, question.number), None, {"stop": ("done", "")})


def say_nothing(question: TileQuestion) -> TileAnswer:
    return TileAnswer(np.zeros_like(question.values), None, {"stop": ("done", "")})


@dataclass
class Pool(Workers):
    """Several threads, the first of which is seldom the first to answer."""

    count: int
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(3))
    stopped: bool = False

    @property
    def in_flight(self) -> int:
        return self.count

    def submit(self, work: Any, *given: Any) -> Future[TileAnswer]:
        def later() -> TileAnswer:
            time.sleep(random.random() * 0.01)
            answer: TileAnswer = work(*given)
            return answer

        return self.pool.submit(later)

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self.pool.shutdown()


class Delivered:
    """What a run has delivered."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.model: NDArray[np.float32] = np.full(shape, np.nan, np.float32)
        self.deviations: NDArray[np.float32] = np.full(shape, np.nan, np.float32)
        self.ends: list[int] = []

    def __call__(self, rows: Rows) -> None:
        assert np.isnan(self.model[rows.region]).all(), "every entry is delivered once"
        self.model[rows.region] = rows.model
        if rows.deviations is not None:
            self.deviations[rows.region] = rows.deviations
        self.ends.append(rows.region[TILING.leading].stop)


def make_run(solve: Any, deliver: Delivered, tiling: Tiling = TILING, **more: Any) -> TileRun:
    return TileRun(tiling=tiling, ask=ask, solve=solve, guess=say_nothing, deliver=deliver, **more)


def test_where_tiles_agree_nothing_changes() -> None:
    got = Delivered(TRUTH.shape)
    make_run(repeat, got, deviations=True).run(ThisThread())
    np.testing.assert_allclose(got.model, TRUTH, rtol=1e-6)
    np.testing.assert_allclose(got.deviations, TRUTH / 2, rtol=1e-6)


def test_where_tiles_differ_there_is_no_step() -> None:
    got = Delivered(TRUTH.shape)
    make_run(say_number, got).run(ThisThread())
    row = got.model[:, 0, 0]
    assert row[0] == 0
    assert row[-1] == max(tile.number for tile in TILING if tile.at[1:] == (0, 0))
    assert np.abs(np.diff(row)).max() < 0.5


@pytest.mark.parametrize("in_flight", [1, 2, 5])
def test_bits_do_not_depend_on_who_answers_first(in_flight: int) -> None:
    alone, together = Delivered(TRUTH.shape), Delivered(TRUTH.shape)
    make_run(say_number, alone).run(ThisThread())
    make_run(say_number, together).run(Pool(in_flight))
    assert alone.model.tobytes() == together.model.tobytes()


def test_rows_are_delivered_as_soon_as_no_tile_adds_to_them() -> None:
    got = Delivered(TRUTH.shape)
    make_run(repeat, got).run(ThisThread())
    blend = TILING.blend[TILING.leading]
    assert got.ends == [10 - blend, 20 - blend, 30]


def test_one_core_put_together_from_its_neighbours_is_what_the_run_delivers() -> None:
    got = Delivered(TRUTH.shape)
    make_run(say_number, got).run(ThisThread())
    for tile in TILING:
        near = [(other, other.reach, say_number(ask(other)).model) for other in TILING.neighbours(tile)]
        assert blend_one(TILING, tile, near).tobytes() == np.ascontiguousarray(got.model[tile.core]).tobytes()


def test_a_single_tile_is_given_on_as_it_is() -> None:
    got = Delivered(TRUTH.shape)
    make_run(repeat, got, given_tiles(TRUTH.shape, TRUTH.shape)).run(ThisThread())
    assert got.model.tobytes() == TRUTH.tobytes()


# Stopped


def raise_at(number: int, error: type[BaseException]) -> Any:
    def solve(question: TileQuestion) -> TileAnswer:
        if question.number == number:
            raise error
        return repeat(question)

    return solve


@pytest.mark.parametrize(("error", "why"), [(KeyboardInterrupt, "interrupted"), (TimeIsUp, "time")])
def test_what_is_done_is_kept_and_the_rest_is_guessed(error: type[BaseException], why: str) -> None:
    got = Delivered(TRUTH.shape)
    run = make_run(raise_at(5, error), got)
    run.run(ThisThread())
    assert run.stopped == why
    assert [done.number for done in run.done if "guessed" not in done.facts] == [0, 1, 2, 3, 4]
    first = TILING.tiles[0].core
    inner = tuple(slice(part.start, part.stop - 3) for part in first)
    np.testing.assert_allclose(got.model[inner], TRUTH[inner], rtol=1e-6)
    assert not np.isnan(got.model).any()


def test_the_watcher_stops_it() -> None:
    got = Delivered(TRUTH.shape)
    run = make_run(repeat, got, watch=lambda facts: facts.number == 2)
    run.run(ThisThread())
    assert run.stopped == "watch"
    assert sum("guessed" not in done.facts for done in run.done) == 3


def test_no_tile_begins_after_the_time_limit() -> None:
    got = Delivered(TRUTH.shape)
    run = make_run(repeat, got)
    with time_limited(0.0):
        run.run(ThisThread())
    assert run.stopped == "time"
    assert all("guessed" in done.facts for done in run.done)


def test_a_tile_that_was_stopped_counts_as_far_as_it_came() -> None:
    def solve(question: TileQuestion) -> TileAnswer:
        kind = "interrupted" if question.number == 3 else "done"
        return TileAnswer(question.values, None, {"stop": (kind, "")})

    got = Delivered(TRUTH.shape)
    run = make_run(solve, got)
    run.run(ThisThread())
    assert run.stopped == "interrupted"
    assert sum("guessed" not in done.facts for done in run.done) == 4


def test_errors_of_tiles_are_errors_of_the_run() -> None:
    with pytest.raises(ZeroDivisionError):
        make_run(raise_at(4, ZeroDivisionError), Delivered(TRUTH.shape)).run(Pool(2))


def test_it_tells_which_tile_it_is_at_and_how_many_come() -> None:
    told: list[Phase | Round] = []
    with listening(told.append):
        make_run(repeat, Delivered(TRUTH.shape)).run(ThisThread())
    words = [each.words for each in told if isinstance(each, Phase)]
    assert words[0] == f"completing: tile, 1 of {TILING.count}"
    assert len(words) == TILING.count
    last = told[-2]
    assert isinstance(last, Phase)
    assert last.later == (("tile", 1.0),)
