"""TensorCompleter: `complete` in the shape of a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..completion import Certificate, Completion, History, StopReason, Watch
from ..errors import InvalidInput
from ..formats import Contents, Entries, Metadata
from ..library import complete
from ..methods.auto import method_for
from ..methods.registry import available_methods, make
from ..observed import Negatives, ObservedTensor
from .scikit_learn import NotFitted, Transformer, table_of

_HIDDEN_SHARE = 0.1


class TensorCompleter(Transformer):  # type: ignore[misc]
    """Fill the missing entries of a nonnegative tensor, as a scikit-learn transformer.

    `transform` takes what was fitted, or further rows (slices of the first mode; of a table, the rows of a test set).
    Further rows are completed together with the fitted ones, and those of one call help each other.

    Parameters
    ----------
    method : str, default "auto"
        One of `tensorfill.available_methods()`.
    keep_observed, negatives, random_state, watch, time_limit, lower, upper
        As for `tensorfill.complete`.
    new_rows : bool or None, default None
        What `transform` takes an array for. None: X is what was fitted if it has the same shape and the same values
        wherever both are known; else it has further rows. True: further rows, unless X is exactly what was fitted.
        False: X has the shape that was fitted, and its holes get the fitted values.
    **settings
        Settings of the method.

    Attributes
    ----------
    completion_ : Completion
        The completion of what was fitted.
    n_features_in_ : int
        The number of columns, if a table was fitted.
    feature_names_in_ : numpy.ndarray of str
        The names of its columns, if they have names.

    Raises
    ------
    TensorfillError
        From `fit`, as for `tensorfill.complete`; from `set_params`, if the method does not have a setting.

    Notes
    -----
    A DataFrame is a wide table: a row per sample, a column per feature, NaN where a value is missing.

    Examples
    --------
    >>> table = np.outer([1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0])
    >>> table[1, 2] = np.nan
    >>> TensorCompleter(rank=1, C=1000).fit_transform(table)[1, 2].round(2)
    np.float64(12.0)
    """

    completion_: Completion

    def __init__(
        self,
        method: str = "auto",
        *,
        keep_observed: bool = True,
        negatives: Negatives = "raise",
        random_state: int | np.random.Generator = 0,
        watch: Watch | None = None,
        time_limit: float | None = None,
        new_rows: bool | None = None,
        lower: float | None = 0,
        upper: float | None = None,
        **settings: Any,
    ) -> None:
        self.method = method
        self.keep_observed = keep_observed
        self.negatives = negatives
        self.random_state = random_state
        self.watch = watch
        self.time_limit = time_limit
        self.new_rows = new_rows
        self.lower = lower
        self.upper = upper
        self._settings = settings

    @classmethod
    def _own(cls) -> tuple[str, ...]:
        """The settings that are not those of the method."""
        given = signature(cls.__init__).parameters.values()
        return tuple(each.name for each in given if each.default is not each.empty)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the method."""
        return dict(self._settings)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every setting by name, as scikit-learn's `clone` and searches expect.

        Parameters
        ----------
        deep : bool, default True
            Ignored; there are no estimators inside.

        Returns
        -------
        dict of str to object
            The settings.
        """
        return {**{name: getattr(self, name) for name in self._own()}, **self._settings}

    def set_params(self, **params: Any) -> Self:
        """Change settings by name; a setting that the method does not have is refused.

        Parameters
        ----------
        **params
            New values by name.

        Returns
        -------
        TensorCompleter
            The estimator itself.
        """
        own = {name: params.pop(name) for name in self._own() if name in params}
        settings = {**self._settings, **params}
        method = own.get("method", self.method)
        if isinstance(method, str) and method in available_methods():  # fit refuses one that is none
            make(method_for(method, settings), settings)
        for name, value in own.items():
            setattr(self, name, value)
        self._settings = settings
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn should know: NaN is welcome, and what is below zero is not, unless `lower` allows it."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        tags.input_tags.positive_only = self.lower == 0 and self.negatives != "clip"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: ArrayLike | ObservedTensor, y: Any = None, *, observed: ArrayLike | None = None) -> Self:
        """Complete X.

        Parameters
        ----------
        X : array_like, DataFrame or ObservedTensor
            The data, two modes or more. NaN marks what is missing, unless `observed` says what is known.
        y : object, optional
            Ignored.
        observed : array_like of bool, optional
            True where the value is known.

        Returns
        -------
        TensorCompleter
            The estimator itself.
        """
        given = self._take(X, first=True)
        try:
            self.completion_ = self._complete(given, observed)
        except InvalidInput as error:
            if self.lower == 0 and _has_negatives(given):  # scikit-learn's words for it
                raise InvalidInput(f"Negative values in data passed to TensorCompleter: {error}") from error
            raise
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """X with its NaNs and masked entries filled.

        Parameters
        ----------
        X : array_like or DataFrame
            What was fitted, or further rows; see `new_rows`.

        Returns
        -------
        numpy.ndarray
            The filled array, of the shape of X.
        """
        return self._fill(X)

    def _fill(self, X: Any) -> NDArray[Any]:
        fitted = self._check_fitted()
        data, missing = self._data_and_missing(X)
        if _same(fitted.observed, data, missing):
            return fitted.tensor.astype(data.dtype)
        if self.new_rows or (self.new_rows is None and not _agrees(fitted.observed, data, missing)):
            return self._complete_rows(fitted.observed, data, missing)
        if data.shape != fitted.observed.shape:
            raise InvalidInput(
                f"The array must have the shape that was fitted, {fitted.observed.shape}. Got {data.shape} instead."
            )
        return np.where(missing, fitted.tensor.astype(data.dtype), data)

    def _data_and_missing(self, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        given = self._take(X, first=False)
        data = np.ma.getdata(given)
        missing = np.ma.getmaskarray(given).copy()
        if data.dtype.kind == "f":
            missing |= np.isnan(data)
        if self.negatives == "clip" and (self.lower, self.upper) != (None, None):  # as `fit` does
            data = np.clip(data, self.lower, self.upper)
        return data, missing

    def _take(self, X: Any, *, first: bool) -> Any:
        """X as an array, if it is a table or an array; what brings its own holes stays as it is."""
        if isinstance(X, ObservedTensor | Contents | Entries) or type(X).__module__.partition(".")[0] == "xarray":
            self._forget_features(first)
            return X if first else np.asarray(X)
        masked = isinstance(X, np.ma.MaskedArray)
        order = len(X.shape) if hasattr(X, "shape") else np.asarray(X).ndim
        as_table = order == 2 if first else hasattr(self, "n_features_in_")
        if not as_table:
            self._forget_features(first)
            return X if masked else np.asarray(X)
        if not masked:
            return table_of(self, X, first=first)
        mask = np.ma.getmaskarray(X)
        return np.ma.masked_array(table_of(self, np.where(mask, np.zeros((), X.dtype), X.data), first=first), mask)

    def _forget_features(self, first: bool) -> None:
        """A tensor has none, whatever was fitted before."""
        for name in ("n_features_in_", "feature_names_in_"):
            if first and hasattr(self, name):
                delattr(self, name)

    def _complete_rows(self, fitted: ObservedTensor, data: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
        """New rows, completed below the fitted ones."""
        if data.shape[1:] != fitted.shape[1:] or data.ndim != fitted.order:
            raise InvalidInput(
                f"New rows must have the shape of those that were fitted, {fitted.shape[1:]}. Got an array of shape "
                f"{data.shape} instead."
            )
        if not missing.all() and self.lower == 0:  # so that a sentence about a value names its own row
            ObservedTensor.from_array(data, ~missing, negatives=self.negatives)
        if not missing.any():
            return data.copy()
        above = np.zeros(fitted.shape, dtype=np.result_type(fitted.dtype, data.dtype))
        above.reshape(-1)[fitted.positions] = fitted.known
        both = np.concatenate([above, data]), np.concatenate([fitted.mask(), ~missing])
        filled = self._complete(*both).tensor[fitted.shape[0] :]
        return np.where(missing, filled.astype(data.dtype), data)

    def fit_transform(
        self, X: ArrayLike | ObservedTensor, y: Any = None, *, observed: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Complete X and return the completed tensor.

        Parameters
        ----------
        X : array_like, DataFrame or ObservedTensor
            The data, two modes or more.
        y : object, optional
            Ignored.
        observed : array_like of bool, optional
            True where the value is known.

        Returns
        -------
        numpy.ndarray
            The completed tensor, of the shape of X.
        """
        return self.fit(X, y, observed=observed).completion_.tensor.copy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Values at rows of coordinates, without building the full tensor.

        Parameters
        ----------
        X : array_like of int, shape (entries, modes)
            One row of indices per entry, counted from 0. Rows of data are accepted, too.

        Returns
        -------
        numpy.ndarray, shape (entries,)
            One value per row; for rows of data, what `transform` returns.
        """
        fitted = self._check_fitted()
        return fitted.predict(X) if _are_coordinates(X, fitted.observed.order) else self._fill(X)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """The coefficient of determination R² of predictions; 1 is perfect, 0 is no better than the mean.

        Parameters
        ----------
        X : array_like of int, shape (entries, modes), or rows of data
            Coordinates. Of rows of data, a tenth of the known entries is hidden and predicted, so that a search can
            compare settings where there is nothing to predict.
        y : array_like, shape (entries,), optional
            The true values at the coordinates; ignored for rows of data.

        Returns
        -------
        float
            1 − Σ(y − ŷ)² / Σ(y − mean y)².
        """
        fitted = self._check_fitted().observed
        if _are_coordinates(X, fitted.order):
            if y is None:
                raise InvalidInput("The true values at these coordinates are needed: score(coordinates, values).")
            return _r_squared(np.asarray(y, dtype=np.float64), self.predict(X))
        data, missing = self._data_and_missing(X)
        hidden = _hide_entries(~missing)
        if _agrees(fitted, data, missing):  # what was fitted has seen these entries
            filled = self._complete(data, ~(missing | hidden)).tensor
        else:
            filled = self._complete_rows(fitted, data, missing | hidden)
        return _r_squared(data[hidden], filled[hidden])

    @property
    def tensor_(self) -> NDArray[Any]:
        """The completed tensor."""
        return self._check_fitted().tensor

    @property
    def model_(self) -> NDArray[np.float64]:
        """The tensor of the method, called W in the paper."""
        return self._check_fitted().model

    @property
    def components_(self) -> tuple[NDArray[np.float64], ...]:
        """The tensors whose sum is `model_`."""
        return self._check_fitted().components

    @property
    def certificate_(self) -> Certificate | None:
        """Bounds on the global optimum and KKT residuals."""
        return self._check_fitted().certificate

    @property
    def history_(self) -> History:
        """The outer iterations."""
        return self._check_fitted().history

    @property
    def n_iter_(self) -> int:
        """The number of outer iterations."""
        return self._check_fitted().iterations

    @property
    def stop_(self) -> StopReason:
        """Why the method stopped."""
        return self._check_fitted().stop

    def _complete(self, X: Any, observed: ArrayLike | None = None) -> Completion:
        done = complete(
            _as_table(X),
            observed,
            self.method,
            keep_observed=self.keep_observed,
            negatives=self.negatives,
            random_state=self.random_state,
            watch=self.watch,
            time_limit=self.time_limit,
            **self._bounds(),
            **self._settings,
        )
        return replace(done, give_back=None)  # arrays are asked for here, and what gives tables back is not pickled

    def _bounds(self) -> dict[str, Any]:
        """The bounds that are not `complete`'s own."""
        usual = {"lower": 0, "upper": None}
        return {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}

    def _check_fitted(self) -> Completion:
        if not hasattr(self, "completion_"):
            raise NotFitted("This TensorCompleter has not been fitted yet; call fit(array) first.")
        return self.completion_

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._settings.items())
        return f"TensorCompleter({', '.join(part for part in (repr(self.method), given) if part)})"


def _as_table(X: Any) -> Any:
    """A matrix as a table, whose columns may be in units of their own; all else as it is."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biuf":
        return X
    data, known = np.ma.getdata(X), None
    if isinstance(X, np.ma.MaskedArray):
        known = ~np.ma.getmaskarray(X)
        known &= ~np.isnan(data) if data.dtype.kind == "f" else True
    return Contents(data, known, metadata=Metadata(kind="table", columns_apart=True))


def _has_negatives(given: Any) -> bool:
    return isinstance(given, np.ndarray) and given.dtype.kind in "fi" and bool((given < 0).any())


def _are_coordinates(X: Any, order: int) -> bool:
    rows = np.asarray(X)
    return rows.ndim == 2 and rows.shape[1] == order and rows.dtype.kind in "iu"


def _same(fitted: ObservedTensor, data: NDArray[Any], missing: NDArray[np.bool_]) -> bool:
    """Whether an array is the one that was fitted."""
    return (
        data.shape == fitted.shape
        and np.array_equal(np.flatnonzero(~missing), fitted.positions)
        and np.array_equal(data.reshape(-1)[fitted.positions], fitted.known)
    )


def _agrees(fitted: ObservedTensor, data: NDArray[Any], missing: NDArray[np.bool_]) -> bool:
    """Whether an array can be the one that was fitted: it has its shape, and says nothing else where both know."""
    if data.shape != fitted.shape:
        return False
    there = ~missing.reshape(-1)[fitted.positions]
    return bool(np.array_equal(data.reshape(-1)[fitted.positions][there], fitted.known[there]))


def _r_squared(true: NDArray[Any], found: NDArray[Any]) -> float:
    """1 is perfect, 0 is no better than the mean of the true values."""
    truth = true.astype(np.float64)
    residual, spread = truth - found, truth - truth.mean()
    total = float(spread @ spread)
    return 1.0 - float(residual @ residual) / total if total > 0 else float(not residual.any())


def _hide_entries(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A tenth of the known entries, at least two and always the same ones, so that settings can be compared."""
    places = np.flatnonzero(known)
    if len(places) < 3:
        raise InvalidInput(
            f"To score rows some of what is known in them is hidden, and that must be more than 2 entries. "
            f"Got {len(places)} instead."
        )
    count = min(max(2, round(_HIDDEN_SHARE * len(places))), len(places) - 1)
    hidden = np.zeros(known.size, dtype=bool)
    hidden[np.random.default_rng(0).choice(places, count, replace=False)] = True
    return hidden.reshape(known.shape)
