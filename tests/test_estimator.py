"""TensorCompleter: scikit-learn's verbs over `complete`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from tensorfill.completion import Snapshot
from tensorfill.errors import InvalidInput, InvalidSetting
from tensorfill.estimator import TensorCompleter
from tensorfill.library import complete
from tensorfill.observed import ObservedTensor

RESULTS = ("tensor_", "model_", "components_", "certificate_", "history_", "n_iter_", "stop_")


@pytest.fixture
def truth() -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return np.einsum("ir,jr,kr->ijk", rng.random((7, 2)), rng.random((6, 2)), rng.random((5, 2)))


@pytest.fixture
def known() -> NDArray[np.bool_]:
    return np.random.default_rng(1).random((7, 6, 5)) < 0.6


@pytest.fixture
def holes(truth: NDArray[Any], known: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(known, truth, np.nan)


# Settings


def test_settings_are_there_by_name() -> None:
    completer = TensorCompleter("dual", rank=3, C=5.0, random_state=4)
    assert completer.get_params() == {
        "method": "dual",
        "keep_observed": True,
        "negatives": "raise",
        "random_state": 4,
        "watch": None,
        "time_limit": None,
        "new_rows": None,
        "lower": 0,
        "upper": None,
        "rank": 3,
        "C": 5.0,
    }
    assert completer.get_params(deep=False) == completer.get_params()


def test_settings_can_be_changed_by_name() -> None:
    completer = TensorCompleter(rank=3)
    assert completer.set_params(C=2.0, keep_observed=False, rank=4) is completer
    params = completer.get_params()
    assert (params["C"], params["keep_observed"], params["rank"]) == (2.0, False, 4)


def test_a_setting_the_method_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^auto has no setting 'depth'\. Its settings are: effort, weights"):
        TensorCompleter().set_params(depth=3)


def test_a_wrong_setting_is_refused_by_fit(holes: NDArray[Any]) -> None:
    with pytest.raises(InvalidSetting, match=r"^auto has no setting 'depth'\. "):
        TensorCompleter(depth=3).fit(holes)
    with pytest.raises(InvalidSetting, match=r"^The 'rank' of nonneg-dual must have 3 entries"):
        TensorCompleter(rank=(2, 2)).fit(holes)


def test_scikit_learn_can_clone_it(holes: NDArray[Any]) -> None:
    def look(snapshot: Snapshot) -> None:
        return None

    completer = TensorCompleter("dual", rank=(3, 2, 2), C=5.0, negatives="clip", watch=look).fit(holes)
    copy = clone(completer)
    assert type(copy) is TensorCompleter
    assert copy is not completer
    assert copy.get_params() == completer.get_params()
    with pytest.raises(InvalidSetting):
        _ = copy.tensor_


def test_a_clone_gives_the_same_bits(holes: NDArray[Any]) -> None:
    completer = TensorCompleter("nonneg-dual", start="random", random_state=5, max_iter=3)
    np.testing.assert_array_equal(clone(completer).fit(holes).model_, completer.fit(holes).model_)


def test_it_introduces_itself_with_its_settings() -> None:
    assert repr(TensorCompleter()) == "TensorCompleter('auto')"
    assert repr(TensorCompleter("dual", rank=(2, 3), C=1.5)) == "TensorCompleter('dual', rank=(2, 3), C=1.5)"


# Fitting


def test_fit_does_what_complete_does(holes: NDArray[Any]) -> None:
    fitted = TensorCompleter(rank=2, C=50, keep_observed=False).fit(holes)
    done = complete(holes, rank=2, C=50, keep_observed=False)
    np.testing.assert_array_equal(fitted.tensor_, done.tensor)
    np.testing.assert_array_equal(fitted.model_, done.model)
    assert fitted.certificate_ == done.certificate
    assert fitted.stop_ == done.stop
    assert fitted.n_iter_ == done.iterations
    assert fitted.history_.cost.tolist() == done.history.cost.tolist()


def test_the_results_are_those_of_the_completion(holes: NDArray[Any]) -> None:
    fitted = TensorCompleter(rank=2).fit(holes)
    done = fitted.completion_
    assert fitted.tensor_ is done.tensor
    assert fitted.model_ is done.model
    assert fitted.components_ is done.components
    assert len(fitted.components_) == 3
    np.testing.assert_allclose(sum(fitted.components_).clip(0), fitted.model_, atol=1e-12)


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_what_was_not_fitted_are_refused(name: str) -> None:
    sentence = "This TensorCompleter has not been fitted yet; call fit(array) first."
    with pytest.raises(InvalidSetting, match=f"^{re.escape(sentence)}$"):
        getattr(TensorCompleter(), name)


def test_fitting_again_forgets_the_first_fit(holes: NDArray[Any]) -> None:
    completer = TensorCompleter(rank=2).fit(holes)
    assert completer.fit(2 * holes[:4]).tensor_.shape == (4, 6, 5)
    assert completer.model_.shape == (4, 6, 5)


def test_a_mask_and_an_observed_tensor_are_taken(truth: NDArray[Any], known: NDArray[Any], holes: NDArray[Any]) -> None:
    expected = TensorCompleter(rank=2).fit_transform(holes)
    np.testing.assert_array_equal(TensorCompleter(rank=2).fit_transform(truth, observed=known), expected)
    observed = ObservedTensor.from_array(truth, known)
    np.testing.assert_array_equal(TensorCompleter(rank=2).fit_transform(observed), expected)


def test_the_time_is_limited(holes: NDArray[Any]) -> None:
    assert TensorCompleter(time_limit=1e-9).fit(holes).stop_.kind == "time"


def test_the_watcher_is_called(holes: NDArray[Any]) -> None:
    seen: list[int] = []
    TensorCompleter("nonneg-dual", max_iter=2, gradient_tolerance=0, watch=lambda s: seen.append(s.step.iteration)).fit(
        holes
    )
    assert seen == [0, 1, 2]


# Transforming


def test_fit_transform_gives_the_completed_tensor(truth: NDArray[Any], known: NDArray[Any]) -> None:
    holes = np.where(known, truth, np.nan).astype(np.float32)
    completer = TensorCompleter(rank=2)
    filled = completer.fit_transform(holes)
    np.testing.assert_array_equal(filled, completer.tensor_)
    assert filled.flags.writeable, "the next step of a pipeline may work in place"
    assert filled.dtype == np.float32
    np.testing.assert_array_equal(filled[known], holes[known])
    assert np.isfinite(filled).all()


@pytest.mark.parametrize("new_rows", [None, True, False])
def test_transforming_what_was_fitted_is_fit_transform(holes: NDArray[Any], new_rows: bool | None) -> None:
    completer = TensorCompleter(rank=2, new_rows=new_rows)
    filled = completer.fit_transform(holes)
    np.testing.assert_array_equal(completer.transform(holes), filled)


def test_transforming_fills_only_the_holes_of_the_new_array(holes: NDArray[Any]) -> None:
    completer = TensorCompleter(rank=2, new_rows=False).fit(holes)
    other = np.full(holes.shape, 7.0)
    other[1, 2, 3] = np.nan
    filled = completer.transform(other)
    assert filled[1, 2, 3] == completer.tensor_[1, 2, 3]
    assert np.count_nonzero(filled == 7.0) == other.size - 1
    assert np.isnan(other[1, 2, 3]), "the caller's array stays as it was"


def test_transforming_another_shape_is_refused(holes: NDArray[Any]) -> None:
    sentence = "The array must have the shape that was fitted, (7, 6, 5). Got (7, 6) instead."
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        TensorCompleter(rank=2, new_rows=False).fit(holes).transform(holes[:, :, 0])


# Predicting and scoring


def test_predictions_are_the_tensors_entries(holes: NDArray[Any]) -> None:
    fitted = TensorCompleter(rank=2).fit(holes)
    rows = np.argwhere(np.ones(holes.shape, dtype=bool))
    np.testing.assert_allclose(fitted.predict(rows), fitted.tensor_.reshape(-1), rtol=1e-10, atol=1e-12)


def test_the_score_is_r_squared(truth: NDArray[Any], known: NDArray[Any], holes: NDArray[Any]) -> None:
    fitted = TensorCompleter(rank=2, C=100).fit(holes)
    rows = np.argwhere(~known)
    residual = truth[~known] - fitted.tensor_[~known]
    expected = 1 - np.sum(residual**2) / np.sum((truth[~known] - truth[~known].mean()) ** 2)
    assert fitted.score(rows, truth[~known]) == pytest.approx(expected)
    assert 0.5 < expected < 1


def test_known_entries_score_perfectly(truth: NDArray[Any], known: NDArray[Any], holes: NDArray[Any]) -> None:
    assert TensorCompleter(rank=2).fit(holes).score(np.argwhere(known), truth[known]) == 1


def test_a_constant_truth_scores_one_if_met_and_zero_if_not(holes: NDArray[Any], known: NDArray[Any]) -> None:
    fitted = TensorCompleter(rank=2).fit(holes)
    row = np.argwhere(known)[:1]
    value = float(holes[known][0])
    assert fitted.score(np.repeat(row, 2, axis=0), [value, value]) == 1.0
    assert fitted.score(np.repeat(row, 2, axis=0), [value + 1, value + 1]) == 0.0


# New rows


def test_new_rows_are_completed_together_with_the_fitted_ones(truth: NDArray[Any], holes: NDArray[Any]) -> None:
    completer = TensorCompleter(rank=2, C=100, new_rows=True).fit(holes[:5])
    filled = completer.transform(holes[5:])
    np.testing.assert_array_equal(filled, complete(holes, rank=2, C=100).tensor[5:])
    missing = np.isnan(holes[5:])
    assert np.abs((filled - truth[5:])[missing]).mean() < 0.2 * truth.mean()
    assert completer.tensor_.shape == (5, 6, 5), "what was fitted stays"


def test_as_many_new_rows_as_were_fitted_are_still_new(holes: NDArray[Any]) -> None:
    filled = TensorCompleter(rank=2, new_rows=True).fit(holes[:3]).transform(holes[3:6])
    np.testing.assert_array_equal(filled, complete(holes[:6], rank=2).tensor[3:])


@pytest.mark.parametrize(("new_rows", "count"), [(True, 2), (False, 7)])
def test_without_holes_there_is_nothing_to_change_and_the_dtype_stays(
    holes: NDArray[Any], new_rows: bool, count: int
) -> None:
    whole = np.ones((count, 6, 5), dtype=np.uint8)
    filled = TensorCompleter(rank=2, new_rows=new_rows).fit(holes).transform(whole)
    np.testing.assert_array_equal(filled, whole)
    assert filled.dtype == np.uint8
    assert filled is not whole


@pytest.mark.filterwarnings("ignore::tensorfill.errors.UnrecoverableSlice")
def test_a_new_row_of_which_nothing_is_known_is_filled_all_the_same(holes: NDArray[Any]) -> None:
    filled = TensorCompleter("spectral", new_rows=True).fit(holes).transform(np.full((1, 6, 5), np.nan))
    assert np.isfinite(filled).all()
    assert filled.min() >= 0


@pytest.mark.parametrize("shape", [(2, 6), (2, 5, 6), (6, 5)])
def test_new_rows_of_another_shape_are_refused(holes: NDArray[Any], shape: tuple[int, ...]) -> None:
    sentence = f"New rows must have the shape of those that were fitted, (6, 5). Got an array of shape {shape} instead."
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        TensorCompleter(rank=2, new_rows=True).fit(holes).transform(np.full(shape, np.nan))


def test_a_negative_value_of_a_new_row_is_named_where_it_stands(holes: NDArray[Any]) -> None:
    new = np.full((2, 6, 5), np.nan)
    new[1, 2, 3] = -1.0
    with pytest.raises(InvalidInput, match=re.escape("the first -1.0 at (1, 2, 3)")):
        TensorCompleter(rank=2, new_rows=True).fit(holes).transform(new)


def test_it_imputes_in_a_pipeline_with_as_many_test_rows_as_training_rows() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((40, 2)) @ rng.random((2, 6))
    target = table.sum(axis=1)
    table[rng.random(table.shape) < 0.2] = np.nan
    model = make_pipeline(TensorCompleter("spectral", new_rows=True), LinearRegression())
    scores = cross_val_score(model, table, target, cv=2)
    assert scores.min() > 0.8
