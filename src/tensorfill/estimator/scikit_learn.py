"""What TensorCompleter takes from scikit-learn where that is installed, and plain stand-ins where it is not.

Loaded with TensorCompleter and not with tensorfill: scikit-learn is no dependency, and takes a while to load.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput, InvalidSetting

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import validate_data  # there since 1.6, and __sklearn_tags__ with it
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True


class _PlainTransformer:
    """The little of scikit-learn's bases that makes sense without it."""

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """The names of the columns: what goes in comes out."""
        count = self.n_features_in_  # type: ignore[attr-defined]
        given = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        return np.asarray([f"x{place}" for place in range(count)] if given is None else given, dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """DataFrames as results are scikit-learn's work."""
        raise InvalidSetting("set_output needs scikit-learn 1.6 or later: pip install scikit-learn")


if INSTALLED:
    Transformer: Any = type("Transformer", (OneToOneFeatureMixin, TransformerMixin, BaseEstimator), {})

    class NotFitted(InvalidSetting, NotFittedError):  # type: ignore[misc]
        """A result was asked for before there is one."""
else:
    Transformer = _PlainTransformer

    class NotFitted(InvalidSetting, AttributeError):  # type: ignore[no-redef]
        """A result was asked for before there is one."""


def table_of(completer: Any, X: Any, *, first: bool) -> NDArray[Any]:
    """A table as an array of numbers, NaN where a value is missing.

    The `first` one tells how many features there are and what they are called; others must have the same.
    """
    if not INSTALLED:
        return _plain_table(completer, X, first=first)
    try:
        found: NDArray[Any] = validate_data(
            completer, X, reset=first, dtype="numeric", ensure_all_finite="allow-nan", ensure_min_samples=1
        )
    except ValueError as error:
        raise InvalidInput(str(error)) from error
    return found


def _plain_table(completer: Any, X: Any, *, first: bool) -> NDArray[Any]:
    data = _numbers(X)
    names = list(getattr(X, "columns", ()))
    if first:
        completer.n_features_in_ = data.shape[1]
        completer.__dict__.pop("feature_names_in_", None)
        if names and all(isinstance(name, str) for name in names):
            completer.feature_names_in_ = np.asarray(names, dtype=object)
    elif data.shape[1] != completer.n_features_in_:
        raise InvalidInput(
            f"X has {data.shape[1]} features, but TensorCompleter is expecting {completer.n_features_in_} features as "
            "input."
        )
    return data


def _numbers(X: Any) -> NDArray[Any]:
    data = np.asarray(X)
    if data.dtype.kind != "O":
        return data
    try:
        return np.array([[np.nan if _is_missing(cell) else cell for cell in row] for row in data], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput("The table must hold numbers and nothing else; text is in it, or something else.") from error


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType"  # of pandas
