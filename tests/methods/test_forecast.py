"""Forecasts: more for larger tensors, for more methods and for holes, and never too little memory."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.library import complete
from tensorfill.method import UNMEASURED, Question
from tensorfill.methods import forecast as forecasts
from tensorfill.methods.auto import methods_tried
from tensorfill.methods.forecast import forecast, method_seconds
from tensorfill.methods.registry import available_methods
from tensorfill.telling import Phase, Round, listening


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
    assert forecast((300, 300, 3), "spectral", structured=True).seconds > forecast((300, 300, 3), "spectral").seconds


def test_patches_have_more_to_solve_for_where_more_is_known() -> None:
    little, much = (forecast((300, 300, 3), "patches", missing=share) for share in (0.9, 0.5))
    assert 1.5 < much.seconds / little.seconds < 3


@pytest.mark.parametrize(
    ("shape", "shaped", "missing", "measured"),
    [
        ((256, 256, 3), False, 0.9, 2.9),
        ((512, 512, 3), False, 0.9, 11.2),
        ((256, 256, 3), False, 0.5, 8.8),
        ((144, 176, 24), False, 0.9, 7.2),
        ((96, 96, 31), False, 0.9, 4.7),
        ((256, 256, 3), True, 0.2, 2.4),
        ((512, 512, 3), True, 0.05, 4.8),
        ((512, 512, 3), True, 0.03, 2.4),
    ],
    ids=str,
)
def test_patches_take_about_as_long_as_measured(
    shape: tuple[int, ...], shaped: bool, missing: float, measured: float
) -> None:
    """Seconds on two cores of the machine that `machine_pace` compares with, of photographs, a clip and a cube."""
    said = forecast(shape, "patches", structured=shaped, missing=missing).seconds
    assert 1 / 1.6 < said / measured < 1.6


def test_a_comparison_on_a_part_of_the_data_is_quicker() -> None:
    """At normal effort a method that is beaten there is not tried on everything."""
    shape = (300, 300, 3)
    names = methods_tried(Question("normal", shape))
    each = [method_seconds(shape, name, structured=False) for name in names]
    whole = forecast(shape, "auto").seconds
    assert each[0] < whole < each[0] + 0.6 * sum(each[1:])


@pytest.mark.parametrize("method", available_methods())
def test_every_method_has_a_forecast_that_counts_the_completed_tensor(method: str) -> None:
    shape = (200, 200, 100)
    assert forecast(shape, method).bytes > 50 * 4_000_000


def test_methods_say_what_they_cost() -> None:
    """So do users' own, if they like; one without figures, or without a name that is known, is of the usual kind."""
    known = available_methods()
    assert known["t-ctv"].costs[True].bytes == 95
    assert known["tmac"].costs == known["dual-demo"].costs == UNMEASURED
    assert forecast((30, 30), "nobody") == forecast((30, 30), "tmac")


def test_whether_it_fits_depends_on_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = forecast((1000, 1000, 30), "spectral")
    for free, fits in ((expected.bytes, True), (expected.bytes - 1, False)):
        monkeypatch.setattr(forecasts, "available_memory", lambda free=free: free)
        assert expected.fits is fits


def test_a_photo_of_twelve_megapixels_with_scratches_needs_what_was_measured() -> None:
    """That is 0.91 GB for 2 megapixels, and 4.3 GB for 12."""
    for shape, measured in (((1200, 1600, 3), 0.91e9), ((3000, 4000, 3), 4.3e9)):
        said = forecast(shape, "auto", structured=True, missing=0.03).bytes
        assert 1 / 1.3 < said / measured < 1.3


def test_the_more_is_missing_in_holes_the_longer_it_takes() -> None:
    little, much = (forecast((300, 300, 3), "spectral", structured=True, missing=share) for share in (0.03, 0.3))
    assert little.seconds < much.seconds
    assert little.bytes < much.bytes


def test_auto_tells_its_phases() -> None:
    rng = np.random.default_rng(0)
    data = np.add.outer(np.arange(20.0), np.arange(18.0))[..., None] + np.arange(3.0)
    told: list[Phase | Round] = []
    with listening(told.append):
        complete(data, rng.random(data.shape) < 0.5)
    compared = [phase for phase in told if isinstance(phase, Phase) and phase.doing == "comparing"]
    names = [phase.what for phase in compared[: compared[0].of]]
    assert names[0] == "spectral"
    assert [phase.number for phase in compared[: len(names)]] == list(range(1, len(names) + 1))
    assert {name for name, _ in compared[0].later} == set(names[1:])


def test_tables_of_interactions_need_what_is_known_of_them() -> None:
    small = forecast((943, 1682), "auto", missing=1 - 100_000 / (943 * 1682), sparse=True)
    large = forecast((20_000, 20_000, 200), "auto", missing=1 - 100_000 / 8e10, sparse=True)
    assert large.bytes == pytest.approx(small.bytes, rel=1e-3)
    assert large.seconds == pytest.approx(small.seconds, rel=1e-3)
    more = forecast((20_000, 20_000, 200), "auto", missing=1 - 20_000_000 / 8e10, sparse=True)
    assert 2e9 < more.bytes < 4e9
    assert more.seconds < 600
