"""Laws of the solvers that improve a start: they can be saved and resumed, and tell at any time what came of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.iterating import NoFurtherStep, Progress, Solver, follow
from tensorfill.missingness import Missingness
from tensorfill.numerics.threads import quiet_blas
from tensorfill.patches.mending_solver import MendingSolver
from tensorfill.patches.planning import Wishes
from tensorfill.patches.settings import MendingSettings, PatchSettings
from tensorfill.patches.solver import GroupSolver, PatchSolver, Task
from tensorfill.patches.start import Start, Strokes, start_from_strokes
from tensorfill.sampling import mask
from tensorfill.selection.judge import Judge

Mask = NDArray[np.bool_]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with quiet_blas():
        yield


def squares() -> NDArray[np.float32]:
    """The same dark and bright squares, again and again."""
    tile = np.random.default_rng(0).random((6, 6)) < 0.5
    return (0.1 + 0.8 * np.tile(tile, (7, 7))).astype(np.float32)


def scattered_start(told: float = 0.3) -> Start:
    """Half of the entries known, a tenth of them held out; so much is wrong in the start."""
    values, rng = squares(), np.random.default_rng(1)
    known = rng.random(values.shape) < 0.5
    held = known & (rng.random(values.shape) < 0.2)
    wrong = (values + told * rng.standard_normal(values.shape)).astype(np.float32)
    before, after = (np.where(seen, values, wrong) for seen in (known & ~held, known))
    judge = Judge.of(Missingness(known), held)
    return Start(known, values, held, judge, before, after, 1e-3, frozenset({0, 1}), 0.0)


@cache
def stroke_start() -> Start:
    pattern = Missingness(mask("scratches", (42, 42), 0.9, 0))
    strokes = Strokes.of(pattern)
    assert strokes is not None
    return start_from_strokes(strokes, pattern, squares(), 0.0, np.random.default_rng(0))


def groups(**how: object) -> PatchSolver:
    return GroupSolver(Task(**{"start": scattered_start(), "wishes": Wishes(), "rounds": 3, "seed": 0, **how}))  # type: ignore[arg-type]


def mending(**how: object) -> PatchSolver:
    return MendingSolver(Task(**{"start": stroke_start(), "wishes": Wishes(), "rounds": 3, "seed": 0, **how}))  # type: ignore[arg-type]


def states_of(solver: Solver) -> list[Progress]:
    """From where it stands to its end."""
    states: list[Progress] = []
    with suppress(NoFurtherStep):
        states.extend(follow(solver))
    return states


@pytest.mark.parametrize("made", [groups, mending])
def test_a_solver_that_was_saved_goes_on_to_the_same_bits(made: Callable[..., PatchSolver]) -> None:
    """Saved before every step: while settings are compared, and in rounds of both kinds."""
    solver = made()
    stages = set()
    while solver.finished() is None:
        resumed: PatchSolver = pickle.loads(pickle.dumps(solver))
        for one in (solver, resumed):
            one.step()
        assert (resumed.cost, resumed.finished()) == (solver.cost, solver.finished())
        np.testing.assert_array_equal(resumed.estimate().dense(), solver.estimate().dense())
        found, again = solver.improvement(), resumed.improvement()
        np.testing.assert_array_equal(again.predictions, found.predictions)
        stages.add((found.use is not None, solver.cost < found.first_error))
    assert stages == {(False, False), (False, True), (True, True)}


@pytest.mark.parametrize("made", [groups, mending])
def test_a_copy_from_the_middle_comes_to_the_same_end(made: Callable[..., PatchSolver]) -> None:
    solver = made()
    for _ in range(3):
        solver.step()
    resumed: Solver = pickle.loads(pickle.dumps(solver))
    ends = [states_of(one)[-1] for one in (solver, resumed)]
    np.testing.assert_array_equal(ends[0].estimate.dense(), ends[1].estimate.dense())
    assert ends[0].cost == ends[1].cost


@pytest.mark.parametrize("made", [groups, mending])
def test_what_was_shown_stays_as_it_is(made: Callable[..., PatchSolver]) -> None:
    shown = [(state.estimate, state.estimate.dense().copy()) for state in states_of(made())]
    for estimate, then in shown:
        np.testing.assert_array_equal(estimate.dense(), then)


@pytest.mark.parametrize("made", [groups, mending])
def test_nothing_is_done_before_the_first_step(made: Callable[..., PatchSolver]) -> None:
    solver = made()
    found = solver.improvement()
    assert found.error == found.first_error == solver.cost
    assert (found.use, found.uncertainty, solver.finished()) == (None, None, None)
    np.testing.assert_array_equal(solver.estimate().dense(), np.maximum(solver.start.after, 0))


@pytest.mark.parametrize("made", [groups, mending])
def test_where_patches_are_no_use_there_is_no_further_step(made: Callable[..., PatchSolver]) -> None:
    settings = PatchSettings(useful=-1e9, mending=MendingSettings(useful=-1e9))
    solver = made(settings=settings, rounds=1)
    states = states_of(solver)
    assert states[-1].stop is None
    with pytest.raises(NoFurtherStep):
        solver.step()
    assert solver.improvement().use is None
