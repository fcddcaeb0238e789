"""The method main-effects: what it promises, whatever the fit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tensorfill import complete
from tensorfill.errors import InvalidSetting, UnrecoverableSlice
from tensorfill.observed import ObservedTensor


def ratings(shape: tuple[int, ...] = (40, 30, 5), count: int = 600, seed: int = 0) -> ObservedTensor:
    rng = np.random.default_rng(seed)
    positions = np.sort(rng.choice(int(np.prod(shape)), count, replace=False))
    rows = np.stack(np.unravel_index(positions, shape), axis=1)
    values = 3 + sum(rng.standard_normal(size)[rows[:, mode]] for mode, size in enumerate(shape))
    return ObservedTensor.from_coordinates(rows, np.clip(values + rng.standard_normal(count), 0, 5), shape)


def test_a_cold_index_gets_the_main_effects_of_the_other_modes() -> None:
    given = ratings()
    rows = np.stack(np.unravel_index(given.positions, given.shape), axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrecoverableSlice)
        done = complete(
            ObservedTensor.from_coordinates(rows, given.values, (41, 30, 5)), method="main-effects", lower=None
        )
    everyone = done.predict([[user, 7, 2] for user in range(40)], raw=True)
    (cold,) = done.predict([[40, 7, 2]], raw=True)
    assert everyone.min() < cold < everyone.max()
    other = done.predict([[40, 8, 2]], raw=True)
    np.testing.assert_allclose(cold - other, done.predict([[3, 7, 2]], raw=True) - done.predict([[3, 8, 2]], raw=True))


def test_nothing_is_below_the_bound_and_the_smallest_of_all_is_told() -> None:
    done = complete(ratings(), method="main-effects")
    free = complete(ratings(), method="main-effects", lower=None)
    assert done.smallest is not None
    assert done.smallest < 0 == done.estimate.dense().min()
    np.testing.assert_allclose(free.estimate.dense().min(), done.smallest)
    np.testing.assert_allclose(np.maximum(free.model, 0), done.model, atol=1e-6)


def test_what_is_chosen_gives_the_same_when_it_is_given() -> None:
    chosen = complete(ratings(), method="main-effects")
    assert "shrinkage" in chosen.reasons
    again = complete(ratings(), method="main-effects", shrinkage=chosen.settings["shrinkage"])
    np.testing.assert_array_equal(chosen.model, again.model)
    assert "shrinkage" not in again.reasons


def test_one_number_serves_all_modes() -> None:
    one, three = (complete(ratings(), method="main-effects", shrinkage=given) for given in (2.0, (2.0, 2.0, 2.0)))
    np.testing.assert_array_equal(one.model, three.model)
    assert one.settings["shrinkage"] == (2.0, 2.0, 2.0)


def test_held_out_ratings_are_met_better_than_by_the_mean_and_by_any_fixed_shrinkage() -> None:
    whole = ratings((60, 50, 5), 3000)
    held = np.random.default_rng(1).random(whole.count) < 0.2
    rows = np.stack(np.unravel_index(whole.positions, whole.shape), axis=1)
    given = ObservedTensor.from_coordinates(rows[~held], whole.values[~held], whole.shape)

    def error(**settings: object) -> float:
        done = complete(given, method="main-effects", **settings)
        return float(np.sqrt(np.mean((done.predict(rows[held], raw=True) - whole.values[held]) ** 2)))

    chosen = error()
    assert chosen < 0.8 * float(np.std(whole.values[held]))
    assert chosen < 1.005 * min(error(shrinkage=value) for value in (0.1, 1.0, 3.0, 10.0, 100.0))


@pytest.mark.parametrize("wrong", [0, -1.0, (1.0, 2.0), "much", (1.0, 0.0, 1.0), True])
def test_shrinkage_that_makes_no_sense_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidSetting, match="The 'shrinkage' of main-effects must"):
        complete(ratings(), method="main-effects", shrinkage=wrong)
