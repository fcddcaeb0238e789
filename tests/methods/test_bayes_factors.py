"""bayes-factors: what users see of it, and `auto` on the tables that it is for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import ObservedTensor, complete
from tensorfill.completion import Completion
from tensorfill.errors import InvalidSetting
from tensorfill.method import Question
from tensorfill.methods.auto import methods_tried
from tensorfill.selection.interactions import is_table_of_interactions


def ratings(
    seed: int = 0, *, users: int = 120, items: int = 200, known: int = 4000
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of user and item, and stars from 1 to 5: a few users and items have most of the ratings."""
    rng = np.random.default_rng(seed)
    weight = np.outer(rng.lognormal(0, 1, users), rng.lognormal(0, 1.3, items)).ravel()
    rows = np.stack(
        np.unravel_index(rng.choice(weight.size, known, False, weight / weight.sum()), (users, items)), axis=1
    )
    tastes, kinds = rng.standard_normal((users, 2)), rng.standard_normal((items, 2))
    truth = 3.2 + 0.5 * rng.standard_normal(users)[rows[:, 0]] + 0.5 * rng.standard_normal(items)[rows[:, 1]]
    truth += 0.6 * (tastes[rows[:, 0]] * kinds[rows[:, 1]]).sum(axis=1)
    return rows, np.clip(np.rint(truth + 0.5 * rng.standard_normal(known)), 1, 5)


def fitted(method: str, **settings: Any) -> tuple[Completion, NDArray[Any], NDArray[Any]]:
    """A completion of nine tenths of the ratings, and the other tenth."""
    rows, stars = ratings()
    observed = ObservedTensor.from_coordinates(rows[400:], stars[400:], (120, 200))
    return complete(observed, method=method, lower=1, upper=5, **settings), rows[:400], stars[:400]


def error(done: Completion, rows: NDArray[Any], stars: NDArray[Any]) -> float:
    return float(np.sqrt(np.mean((done.predict(rows, raw=True) - stars) ** 2)))


def test_tastes_are_found_where_main_effects_know_none() -> None:
    done, rows, stars = fitted("bayes-factors")
    effects, *_ = fitted("main-effects")
    assert error(done, rows, stars) < 0.93 * error(effects, rows, stars)
    model = done.predict(rows, raw=True)
    assert model.min() >= 1
    assert model.max() <= 5


def test_deviations_cover_what_was_held_out() -> None:
    done, rows, stars = fitted("bayes-factors")
    values, deviations = done.predict(rows, raw=True, deviation=True)
    assert 0.6 < np.mean(np.abs(values - stars) < deviations) < 0.78
    assert 0.9 < np.mean(np.abs(values - stars) < 2 * deviations) < 0.99
    everywhere = done.uncertainty[tuple(rows.T)]
    np.testing.assert_allclose(everywhere, deviations, rtol=1e-3)


def test_auto_takes_it_on_ratings_and_tells_why() -> None:
    done, rows, stars = fitted("auto")
    alone, *_ = fitted("bayes-factors")
    assert done.settings["weights"]["bayes-factors"] > 0.5
    assert "main-effects" in done.reasons["weights"]
    assert error(done, rows, stars) < 1.01 * error(alone, rows, stars)


def test_auto_takes_a_table_of_ratings_in_any_form_for_one() -> None:
    rows, stars = ratings()
    array = np.full((120, 200), np.nan)
    array[tuple(rows.T)] = stars
    listed = complete(ObservedTensor.from_coordinates(rows, stars, array.shape), lower=1, upper=5)
    np.testing.assert_array_equal(complete(array, lower=1, upper=5).tensor, listed.tensor)


def test_auto_never_fills_an_index_without_ratings_with_nothing() -> None:
    rows, stars = ratings()
    kept = (rows[:, 0] != 5) & (rows[:, 1] != 9)
    done = complete(ObservedTensor.from_coordinates(rows[kept], stars[kept], (120, 200)), lower=0, upper=5)
    cold = np.stack([np.full(200, 5), np.arange(200)], axis=1)
    found = done.predict(cold, raw=True)
    assert found.min() > 1.5
    assert found.std() > 0.1  # the items still differ
    assert any("filled with what is usual" in note for note in done.notes)


def test_auto_completes_what_fits_no_memory() -> None:
    rng = np.random.default_rng(0)
    shape = (60_000, 50_000, 10_000)
    rows = rng.permutation(np.unique(rng.integers(0, (40, 50, 9), (3000, 3)), axis=0))
    effects = [rng.standard_normal(60) for _ in range(3)]
    values = 20 + sum(effect[rows[:, mode]] for mode, effect in enumerate(effects))
    done = complete(ObservedTensor.from_coordinates(rows[100:], values[100:], shape))
    assert np.sqrt(np.mean((done.predict(rows[:100]) - values[:100]) ** 2)) < 0.3


@pytest.mark.parametrize("even", [True, False])
def test_a_smooth_tensor_is_no_table_of_interactions(*, even: bool) -> None:
    rng = np.random.default_rng(0)
    smooth = (
        2 + np.sin(np.arange(100)[:, None] / 9) * np.cos(np.arange(120) / 11) + np.hypot(*np.mgrid[:100, :120]) / 50
    )
    rows = np.ones(100) if even else rng.lognormal(0, 1.5, 100)
    known = rng.random(smooth.shape) < 0.12 * (rows / rows.mean())[:, None]
    assert not is_table_of_interactions(ObservedTensor.from_array(smooth, known))


def test_ratings_are_a_table_of_interactions_with_and_without_time() -> None:
    rows, stars = ratings()
    assert is_table_of_interactions(ObservedTensor.from_coordinates(rows, stars, (120, 200)))
    timed = np.column_stack([rows, np.random.default_rng(1).integers(0, 30, len(rows))])
    assert is_table_of_interactions(ObservedTensor.from_coordinates(timed, stars, (120, 200, 30)))


def test_only_what_builds_no_full_tensor_is_compared_on_tables_of_interactions() -> None:
    assert methods_tried(Question("low", (9, 9), sparse=True)) == ("bayes-factors",)
    assert methods_tried(Question("normal", (9, 9), sparse=True)) == ("bayes-factors", "main-effects")
    most = methods_tried(Question("high", (9, 9), sparse=True))
    assert "bcpf" in most
    assert not {"spectral", "patches", "t-ctv"} & set(most)
    assert "bayes-factors" not in methods_tried(Question("normal", (9, 9)))


@pytest.mark.parametrize("settings", [{"power": 1.5}, {"interactions": "triples"}, {"rank": 0}, {"footprints": 3}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting, match=f"The '{next(iter(settings))}' of bayes-factors must"):
        fitted("bayes-factors", **settings)


def test_methods_can_be_compared_on_the_newest_ratings() -> None:
    rng = np.random.default_rng(3)
    rows, stars = ratings()
    weeks = rng.integers(0, 9, len(rows))
    observed = ObservedTensor.from_coordinates(np.column_stack([rows, weeks]), stars, (120, 200, 9))
    done = complete(observed, lower=1, upper=5, last_along=3)
    assert done.settings["last_along"] == 3
    assert done.reasons["weights"] != complete(observed, lower=1, upper=5).reasons["weights"]
    with pytest.raises(InvalidSetting, match="is mode 4, and there are 3 modes"):
        complete(observed, last_along=4)


def test_smooth_tensors_have_no_newest_entries() -> None:
    smooth = np.add.outer(np.linspace(0, 1, 30), np.linspace(0, 1, 20))
    smooth[::2, ::3] = np.nan
    with pytest.raises(InvalidSetting, match="this tensor is none; leave it out"):
        complete(smooth, last_along=2)
