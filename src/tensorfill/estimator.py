"""TensorCompleter: `complete` in the shape of a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .completion import Certificate, Completion, History, StopReason, Watch
from .errors import InvalidInput, InvalidSetting
from .library import complete
from .methods.registry import make, method_for
from .observed import Negatives, ObservedTensor

_OWN = ("method", "keep_observed", "negatives", "random_state", "watch", "time_limit", "new_rows")


class TensorCompleter:
    """Fill the missing entries of a nonnegative tensor, with scikit-learn's verbs.

    Takes the settings of `tensorfill.complete`, those of the method among them. After `fit`: `completion_`,
    `tensor_`, `model_`, `components_`, `certificate_`, `history_`, `n_iter_`, `stop_`.

    With `new_rows=True` it is an imputer for scikit-learn's pipelines: `transform` takes further rows (slices of the
    first mode; of a table, the rows of a test set) and completes them together with those that were fitted. Rows that
    are transformed in one call help each other; what was fitted is given back as it was completed then.

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
        new_rows: bool = False,
        **settings: Any,
    ) -> None:
        self.method = method
        self.keep_observed = keep_observed
        self.negatives = negatives
        self.random_state = random_state
        self.watch = watch
        self.time_limit = time_limit
        self.new_rows = new_rows
        self.settings = settings

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every setting by name, as scikit-learn's `clone` and searches expect."""
        return {**{name: getattr(self, name) for name in _OWN}, **self.settings}

    def set_params(self, **params: Any) -> Self:
        """Change settings by name; a setting the method does not have is refused."""
        own = {name: params.pop(name) for name in _OWN if name in params}
        settings = {**self.settings, **params}
        make(method_for(own.get("method", self.method), settings), settings)
        for name, value in own.items():
            setattr(self, name, value)
        self.settings = settings
        return self

    def fit(self, X: ArrayLike | ObservedTensor, y: Any = None, *, observed: ArrayLike | None = None) -> Self:
        """Complete X; NaN marks what is missing unless `observed` says what is known. `y` is ignored."""
        self.completion_ = self._complete(X, observed)
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """X with its NaNs and masked entries filled.

        From the fitted model, and X must have the shape that was fitted; or with `new_rows`, as rows of one tensor with
        those that were fitted.
        """
        fitted = self._fitted()
        data = np.ma.getdata(cast(Any, X))
        missing = np.ma.getmaskarray(cast(Any, X)).copy()
        if data.dtype.kind == "f":
            missing |= np.isnan(data)
        if self.new_rows and not _same(fitted.observed, data, missing):
            return self._completed_rows(fitted.observed, data, missing)
        if data.shape != fitted.observed.shape:
            raise InvalidInput(
                f"The array must have the shape that was fitted, {fitted.observed.shape}. Got {data.shape} instead."
            )
        return np.where(missing, fitted.tensor.astype(data.dtype), data)

    def _completed_rows(self, fitted: ObservedTensor, data: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
        """New rows, completed below the fitted ones: the first mode varies slowest, so their positions come after."""
        if data.shape[1:] != fitted.shape[1:] or data.ndim != fitted.order:
            raise InvalidInput(
                f"New rows must have the shape of those that were fitted, {fitted.shape[1:]}. Got an array of shape "
                f"{data.shape} instead."
            )
        if not missing.any():
            return data.copy()
        positions, known = fitted.positions, fitted.known
        if not missing.all():
            new = ObservedTensor.from_array(data, ~missing, negatives=self.negatives)
            positions = np.concatenate([positions, fitted.size + new.positions])
            known = np.concatenate([known, new.known])
        both = ObservedTensor((fitted.shape[0] + len(data), *fitted.shape[1:]), positions, known)
        filled = self._complete(both).tensor[fitted.shape[0] :]
        return np.where(missing, filled.astype(data.dtype), data)

    def fit_transform(
        self, X: ArrayLike | ObservedTensor, y: Any = None, *, observed: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Complete X and give back the completed tensor."""
        return self.fit(X, y, observed=observed).completion_.tensor

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Values at rows of coordinates, without building the full tensor."""
        return self._fitted().predict(X)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """R² of `predict(X)` for true values `y` at coordinates X: 1 is perfect, 0 is no better than their mean."""
        true = np.asarray(y, dtype=np.float64)
        residual = true - self.predict(X)
        spread = true - true.mean()
        total = float(spread @ spread)
        return 1.0 - float(residual @ residual) / total if total > 0 else float(not residual.any())

    @property
    def tensor_(self) -> NDArray[Any]:
        """The completed tensor."""
        return self._fitted().tensor

    @property
    def model_(self) -> NDArray[np.float64]:
        """The method's own tensor W."""
        return self._fitted().model

    @property
    def components_(self) -> tuple[NDArray[np.float64], ...]:
        """W^(1), …, W^(K)."""
        return self._fitted().components

    @property
    def certificate_(self) -> Certificate | None:
        """Bounds on the global optimum and KKT residuals."""
        return self._fitted().certificate

    @property
    def history_(self) -> History:
        """The outer iterations."""
        return self._fitted().history

    @property
    def n_iter_(self) -> int:
        """How many outer iterations were made."""
        return self._fitted().iterations

    @property
    def stop_(self) -> StopReason:
        """Why the method stopped."""
        return self._fitted().stop

    def _complete(self, X: ArrayLike | ObservedTensor, observed: ArrayLike | None = None) -> Completion:
        return complete(
            X,
            observed,
            self.method,
            keep_observed=self.keep_observed,
            negatives=self.negatives,
            random_state=self.random_state,
            watch=self.watch,
            time_limit=self.time_limit,
            **self.settings,
        )

    def _fitted(self) -> Completion:
        if not hasattr(self, "completion_"):
            raise InvalidSetting("This TensorCompleter has not been fitted yet; call fit(array) first.")
        return self.completion_

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"TensorCompleter({', '.join(part for part in (repr(self.method), given) if part)})"


def _same(fitted: ObservedTensor, data: NDArray[Any], missing: NDArray[np.bool_]) -> bool:
    """Whether an array is the one that was fitted."""
    return (
        data.shape == fitted.shape
        and np.array_equal(np.flatnonzero(~missing), fitted.positions)
        and np.array_equal(data.reshape(-1)[fitted.positions], fitted.known)
    )
