"""Errors at held-out entries are on one scale for all methods: that of the error of painted holes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from served import httpx  # which skips where the page cannot be served

from tensorfill import complete
from tensorfill.bounds import Bounds
from tensorfill.formats import Contents
from tensorfill.formats.contents import Metadata
from tensorfill.metrics import unit_scale
from tensorfill.page.held_out import Curve

assert httpx
NAME = "Error at held-out entries, on a scale of 0 to 1"
ROWS, COLUMNS, BANDS = np.meshgrid(np.arange(40), np.arange(36), np.arange(6), indexing="ij")
WAVES = 1.2 + np.sin(ROWS / 5) * np.cos(COLUMNS / 4) + 0.1 * BANDS
KNOWN = np.random.default_rng(0).random(WAVES.shape) < 0.4


USUAL, BYTES = (1.0, 0.0, float, 0), (90.0, 0.0, np.uint8, 0)


@pytest.mark.parametrize(
    ("method", "times", "plus", "dtype", "lower"),
    [
        ("spectral", *USUAL),
        ("spectral", *BYTES),
        ("spectral", 1.0, 5.0, float, 5),
        ("patches", *BYTES),
        ("auto", *USUAL),
        ("auto", *BYTES),
        ("auto", 3.0, -6.0, float, None),
        ("auto", 1e13, 0.0, float, 0),
    ],
)
def test_the_last_held_out_error_is_about_the_error_of_what_was_missing(
    method: str, times: float, plus: float, dtype: Any, lower: float | None
) -> None:
    truth = (times * (WAVES + np.random.default_rng(1).normal(0, 0.05, WAVES.shape)).clip(0.01) + plus).astype(dtype)
    source = Contents(truth, observed=KNOWN)
    settings = {"effort": "low"} if method == "auto" else {}
    curve = Curve.of(source, method, settings, Bounds.of(lower, None))
    assert curve.name == NAME
    done = complete(source, method=method, lower=lower, **settings)
    missed = np.sqrt(np.mean((done.tensor - truth.astype(float))[~KNOWN] ** 2)) / unit_scale(truth[KNOWN])
    assert 0.6 < curve.factor * done.history.cost[-1] / missed < 1.7


def test_what_other_methods_minimize_is_their_cost() -> None:
    source = Contents(WAVES, observed=KNOWN)
    assert Curve.of(source, "nonneg-dual", {}, Bounds()) == Curve("Cost", 1.0)
    assert Curve.of(source, "auto", {"rank": 3}, Bounds()) == Curve("Cost", 1.0)


def test_columns_in_units_of_their_own_are_brought_to_one_size() -> None:
    table = np.abs(np.random.default_rng(0).normal(2, 1, (30, 5))) * [1, 10, 100, 1000, 10_000]
    table[3, 2] = np.nan
    curve = Curve.of(Contents(table, metadata=Metadata(kind="table", columns_apart=True)), "auto", {}, Bounds())
    assert curve.name.endswith("columns brought to one size")
    assert curve.factor > 1e-4, "as of a middle column, and not of the largest"
