"""TensorCompleter among scikit-learn's own: its checks, pipelines, columns, searches, and DataFrames out."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from tensorfill.completion import Completion
from tensorfill.errors import InvalidInput
from tensorfill.estimator import TensorCompleter, completer
from tensorfill.formats import Contents, Metadata
from tensorfill.library import complete

NAMES = ["a", "b", "c", "d", "e", "f"]


@pytest.fixture
def truth() -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return rng.random((40, 2)) @ rng.random((2, 6)) + 0.1


@pytest.fixture
def target(truth: NDArray[Any]) -> NDArray[Any]:
    return truth.sum(axis=1)


@pytest.fixture
def table(truth: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.random.default_rng(1).random(truth.shape) < 0.2, np.nan, truth)


@pytest.fixture
def frame(table: NDArray[Any]) -> pd.DataFrame:
    return pd.DataFrame(table, columns=NAMES, index=[f"row {place}" for place in range(len(table))])


def completed(table: NDArray[Any]) -> NDArray[Any]:
    """A table completed as such: its columns may be in units of their own."""
    return complete(Contents(table, metadata=Metadata(kind="table", columns_apart=True)), method="spectral").tensor


# scikit-learn's own checks: all apply, and none is expected to fail. The one of arrays of other libraries is run by
# scikit-learn only where the variable SCIPY_ARRAY_API is set.


def name_of(check: Any) -> str:
    """What scikit-learn calls a check, under the settings bound to it."""
    return str(check.__name__) if hasattr(check, "__name__") else name_of(check.func)


CHECKS = [each for _, each in estimator_checks_generator(TensorCompleter())]


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_scikit_learns_check(check: Callable[[Any], None]) -> None:
    check(TensorCompleter())


def test_the_checks_can_fail() -> None:
    class Forgetful(TensorCompleter):
        def fit(self, X: Any, y: Any = None, *, observed: Any = None) -> Any:
            super().fit(X, y, observed=observed)

    failed = []
    for _, check in estimator_checks_generator(Forgetful()):
        try:
            check(Forgetful())
        except (AssertionError, AttributeError):
            failed.append(check)
            break
    assert failed


def test_it_is_one_of_scikit_learns_transformers() -> None:
    assert isinstance(TensorCompleter(), BaseEstimator)
    assert isinstance(TensorCompleter(), TransformerMixin)


def test_its_tags_say_that_nan_is_welcome_and_negative_values_are_not() -> None:
    tags = get_tags(TensorCompleter())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.positive_only
    assert not get_tags(TensorCompleter(lower=None)).input_tags.positive_only
    assert not get_tags(TensorCompleter(negatives="clip")).input_tags.positive_only


def test_results_that_are_not_there_yet_are_scikit_learns_not_fitted() -> None:
    with pytest.raises(NotFittedError):
        TensorCompleter().transform([[1.0, 2.0]])
    assert not hasattr(TensorCompleter(), "tensor_")


def test_a_fitted_completer_can_be_stored(table: NDArray[Any]) -> None:
    fitted = TensorCompleter().fit(table)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(table), fitted.transform(table))
    np.testing.assert_allclose(again.completion_.uncertainty, fitted.completion_.uncertainty, rtol=1e-8)


# Pipelines, columns, searches


@pytest.mark.parametrize("folds", [2, 5])
def test_cross_validation_needs_no_setting(table: NDArray[Any], target: NDArray[Any], folds: int) -> None:
    model = make_pipeline(TensorCompleter("spectral"), LinearRegression())
    assert cross_val_score(model, table, target, cv=folds, error_score="raise").min() > 0.8


def test_a_test_set_is_completed_together_with_the_training_set(table: NDArray[Any]) -> None:
    for count in (10, 20):
        train, test = train_test_split(table, test_size=count, random_state=0)
        filled = TensorCompleter("spectral").fit(train).transform(test)
        np.testing.assert_array_equal(filled, completed(np.concatenate([train, test]))[len(train) :])


def test_a_part_of_what_was_fitted_is_still_that(table: NDArray[Any]) -> None:
    fitted = TensorCompleter("spectral").fit(table)
    fewer = table.copy()
    fewer[0, 0] = np.nan
    assert fitted.transform(fewer)[0, 0] == fitted.tensor_[0, 0]
    other = table.copy()
    other[3, np.flatnonzero(~np.isnan(table[3]))[0]] += 1.0
    np.testing.assert_array_equal(fitted.transform(other), completed(np.concatenate([table, other]))[len(table) :])


def test_the_next_step_may_work_in_place(table: NDArray[Any]) -> None:
    scaled = make_pipeline(TensorCompleter("spectral"), StandardScaler(copy=False)).fit_transform(table)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)


def test_some_columns_of_a_frame_are_completed_and_others_pass(frame: pd.DataFrame) -> None:
    frame["kind"] = "x"
    columns = ColumnTransformer([("fill", TensorCompleter("spectral"), NAMES)], remainder="passthrough")
    columns.set_output(transform="pandas")
    filled = columns.fit_transform(frame)
    assert list(filled.columns) == [*(f"fill__{name}" for name in NAMES), "remainder__kind"]
    assert list(filled.index) == list(frame.index)
    np.testing.assert_array_equal(filled.iloc[:, :6].to_numpy(dtype=float), completed(frame[NAMES].to_numpy()))


def test_a_search_chooses_settings_in_a_pipeline(table: NDArray[Any], target: NDArray[Any]) -> None:
    model = make_pipeline(TensorCompleter("nonneg-dual", max_iter=5), LinearRegression())
    grid = {"tensorcompleter__rank": [1, 2], "tensorcompleter__keep_observed": [True]}
    found = GridSearchCV(model, grid, cv=2, error_score="raise").fit(table, target)
    assert found.best_params_["tensorcompleter__rank"] == 2


def test_a_search_chooses_methods_without_anything_to_predict(table: NDArray[Any]) -> None:
    found = GridSearchCV(TensorCompleter(), {"method": ["mean-fill", "spectral"]}, cv=2, error_score="raise").fit(table)
    assert found.best_params_ == {"method": "spectral"}
    assert found.best_score_ > 0.8
    assert found.transform(table).shape == table.shape


def test_rows_are_scored_by_entries_that_are_hidden(table: NDArray[Any], truth: NDArray[Any]) -> None:
    fitted = TensorCompleter("spectral").fit(table[:30])
    assert 0.8 < fitted.score(table[30:]) < 1
    assert 0.8 < fitted.score(table[:30]) < 1, "not 1: what was fitted has seen these entries"
    with pytest.raises(InvalidInput, match=r"must be more than 2 entries\. Got 0 instead\."):
        fitted.score(np.full((2, 6), np.nan))


def test_rows_are_predicted_as_they_are_transformed(table: NDArray[Any]) -> None:
    fitted = TensorCompleter("spectral").fit(table[:30])
    np.testing.assert_array_equal(fitted.predict(table[30:]), fitted.transform(table[30:]))


def test_coordinates_are_scored_only_with_their_values(table: NDArray[Any]) -> None:
    with pytest.raises(InvalidInput, match=r"^The true values at these coordinates are needed"):
        TensorCompleter("spectral").fit(table).score([[0, 1], [2, 3]])


# DataFrames


def test_a_frame_is_a_table_as_it_stands(frame: pd.DataFrame, table: NDArray[Any]) -> None:
    fitted = TensorCompleter("spectral")
    np.testing.assert_array_equal(fitted.fit_transform(frame), TensorCompleter("spectral").fit_transform(table))
    assert fitted.n_features_in_ == 6
    assert list(fitted.feature_names_in_) == NAMES
    assert list(fitted.get_feature_names_out()) == NAMES


@pytest.mark.parametrize("columns", [[2001, 2002, 2003, 2004, 2005, 2006], ["a", "b", "c", "d", "e", "value"]])
def test_no_column_is_taken_for_coordinates(table: NDArray[Any], columns: list[object]) -> None:
    filled = TensorCompleter("spectral").fit_transform(pd.DataFrame(table, columns=columns))
    assert filled.shape == table.shape


def test_frames_come_out_with_index_and_columns(frame: pd.DataFrame) -> None:
    completer = TensorCompleter("spectral").set_output(transform="pandas")
    first = completer.fit_transform(frame[:30])
    second = completer.transform(frame[30:])
    assert list(first.columns) == list(second.columns) == NAMES
    assert list(pd.concat([first, second]).index) == list(frame.index)
    assert not first.isna().any(axis=None)
    assert not second.isna().any(axis=None)


def test_whole_numbers_with_missing_ones_are_taken(frame: pd.DataFrame) -> None:
    whole = (10 * frame).round().astype("Int64")
    filled = TensorCompleter("spectral").fit_transform(whole)
    known = whole.notna().to_numpy()
    np.testing.assert_array_equal(filled[known], (10 * frame).round().to_numpy()[known])


def test_other_columns_than_those_fitted_are_refused(frame: pd.DataFrame) -> None:
    fitted = TensorCompleter("spectral").fit(frame)
    with pytest.raises(InvalidInput, match="feature names should match"):
        fitted.transform(frame.rename(columns={"a": "z"}))
    with pytest.raises(InvalidInput, match="X has 5 features, but TensorCompleter is expecting 6"):
        TensorCompleter("spectral").fit(frame.to_numpy()).transform(frame.to_numpy()[:, :5])


def test_a_tensor_fitted_after_a_table_has_no_features() -> None:
    completer = TensorCompleter().fit(np.ones((3, 4)))
    assert not hasattr(completer.fit(np.ones((3, 4, 5))), "n_features_in_")


def test_a_table_is_handed_on_as_one_whose_columns_have_their_own_units(
    table: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def watched(array: Any, *rest: Any, **arguments: Any) -> Completion:
        seen.append(isinstance(array, Contents) and array.metadata.columns_apart)
        return complete(array, *rest, **arguments)

    monkeypatch.setattr(completer, "complete", watched)
    TensorCompleter("mean-fill").fit(table).transform(table[:5] + 1)
    TensorCompleter("mean-fill").fit(np.ma.masked_invalid(table))
    TensorCompleter("mean-fill").fit(table.reshape(5, 8, 6))
    assert seen == [True, True, True, False]


# Bounds


def test_negative_values_are_clipped_in_rows_to_transform_as_in_those_fitted(table: NDArray[Any]) -> None:
    fitted = TensorCompleter("spectral", negatives="clip").fit(table - 0.3)
    assert fitted.transform(table - 0.3).min() == 0
    assert fitted.transform(table[:5] - 0.3).min() == 0


def test_bounds_are_handed_on_where_they_are_not_the_usual_ones(
    table: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []

    def completed(array: Any, observed: Any, method: str, **arguments: Any) -> Completion:
        seen.append({name: arguments.pop(name) for name in ("lower", "upper") if name in arguments})
        return complete(array, observed, method, **arguments)

    monkeypatch.setattr(completer, "complete", completed)
    for bounds in ({}, {"lower": None}, {"upper": 255}, {"lower": -3.5, "upper": 2}):
        TensorCompleter("mean-fill", **bounds).fit(table)
        assert seen.pop() == bounds
