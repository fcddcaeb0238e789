"""Forecasts: more for larger tensors, for more methods and for holes, and never too little memory."""

from __future__ import annotations

import pytest

from tensorfill.methods import forecast as forecasts
from tensorfill.methods.forecast import COSTS, forecast
from tensorfill.methods.registry import available_methods


def test_twice_the_entries_need_about_twice_as_much() -> None:
    one, two = (forecast((1000, 1000, size), "spectral") for size in (100, 200))
    assert 1.9 < two.bytes / one.bytes < 2
    assert 1.9 < two.seconds / one.seconds < 2


def test_auto_needs_what_its_methods_need() -> None:
    alone = forecast((300, 300, 3), "spectral")
    low, normal, high = (forecast((300, 300, 3), "auto", effort=effort) for effort in ("low", "normal", "high"))
    assert (low.bytes, low.seconds) == (alone.bytes, alone.seconds)
    assert low.seconds < normal.seconds < high.seconds


def test_holes_with_a_shape_take_longer() -> None:
    assert forecast((300, 300, 3), "auto", shaped_holes=True).seconds > forecast((300, 300, 3), "auto").seconds


@pytest.mark.parametrize("method", available_methods())
def test_every_method_has_a_forecast_that_counts_the_completed_tensor(method: str) -> None:
    shape = (200, 200, 100)
    assert forecast(shape, method).bytes > 50 * 4_000_000


def test_what_is_measured_is_a_method() -> None:
    assert set(COSTS) <= set(available_methods())


def test_whether_it_fits_depends_on_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = forecast((1000, 1000, 30), "spectral")
    for free, fits in ((expected.bytes, True), (expected.bytes - 1, False), (None, True)):
        monkeypatch.setattr(forecasts, "available_memory", lambda free=free: free)
        assert expected.fits is fits
