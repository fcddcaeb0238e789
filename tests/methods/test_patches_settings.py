"""`patches` with settings: used, told, replayed, and refused where they are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from patches_examples import (
    example,
    glyphs,
    scattered,
)

from tensorfill.errors import InvalidSetting
from tensorfill.library import complete


def test_settings_that_are_given_are_used_and_told() -> None:
    truth, known, _ = example()
    done = complete(truth, known, "patches", patch=5, window=20, members=13, noise=0.05)
    assert done.reasons["patches"].startswith("5×5 along modes 1, 2, where ")
    assert done.reasons["groups"] == "13 patches each, of those within 20 to either side; σ = 0.05."
    chosen = {key: done.settings[key] for key in ("modes", "patch", "window", "members", "max_iter")}
    assert chosen == {"modes": (1, 2), "patch": 5, "window": 20, "members": 13, "max_iter": 8}
    assert done.settings["noise"] == pytest.approx(0.05)


@pytest.mark.parametrize("modes", [(1, 2), (2, 1), (1, 3), (1, 2, 3)])
def test_modes_that_are_given_are_searched(modes: tuple[int, ...]) -> None:
    pictures = [np.roll(glyphs(0, 40), frame, axis=1)[:34] for frame in range(5)]
    truth = np.stack(pictures, axis=1 if modes == (1, 3) else 2)
    known = scattered(truth.shape, 0.6, 0)
    done = complete(truth, known, "patches", modes=modes, patch=3, window=8, members=20, noise=0.1, max_iter=2)
    assert done.settings["modes"] == tuple(sorted(modes))
    assert f"along modes {', '.join(map(str, sorted(modes)))}, where" in done.reasons["patches"]


def test_fewer_rounds_are_fewer() -> None:
    truth, known, done = example()
    assert len(complete(truth, known, "patches", max_iter=1).history) < len(done.history)


@pytest.mark.parametrize("exponent", [-60, 7, 60, 900])
def test_noise_is_in_the_units_of_the_data_whatever_their_size(exponent: int) -> None:
    truth, known, _ = example()
    plain = complete(truth, known, "patches", noise=0.05, max_iter=1)
    scaled = complete(np.ldexp(truth, exponent), known, "patches", noise=np.ldexp(0.05, exponent), max_iter=1)
    np.testing.assert_array_equal(np.ldexp(scaled.model, -exponent), plain.model)
    assert np.ldexp(scaled.settings["noise"], -exponent) == pytest.approx(0.05)
    other = complete(np.ldexp(truth, exponent), known, "patches", noise=np.ldexp(0.5, exponent), max_iter=1)
    assert not np.array_equal(other.model, scaled.model)


@pytest.mark.parametrize("exponent", [-1000, 1000])
def test_noise_next_to_which_the_data_is_nothing_or_everything_is_no_error(exponent: int) -> None:
    truth, known, _ = example()
    done = complete(np.ldexp(truth, exponent), known, "patches", noise=np.ldexp(1.0, -exponent), max_iter=1)
    assert np.isfinite(done.model).all()


def test_what_was_chosen_can_be_replayed() -> None:
    truth, known, done = example()
    assert None not in done.settings.values()
    again = complete(truth, known, "patches", **done.settings)
    np.testing.assert_array_equal(again.model, done.model)
    assert len(again.history) < len(done.history), "nothing is compared"


def test_what_was_chosen_for_tiny_values_can_be_replayed() -> None:
    truth, known, _ = example()
    tiny = np.ldexp(truth, -100)
    done = complete(tiny, known, "patches")
    np.testing.assert_array_equal(complete(tiny, known, "patches", **done.settings).model, done.model)


@pytest.mark.parametrize("settings", [{"patch": 1}, {"noise": 1e-200}, {"noise": 1e200}, {"members": 2}, {"window": 1}])
def test_foolish_settings_have_a_finite_result(settings: dict[str, Any]) -> None:
    truth, known, _ = example()
    done = complete(truth, known, "patches", max_iter=1, **settings)
    assert np.isfinite(done.model).all()
    assert (done.model >= 0).all()


def test_a_window_beyond_the_picture_and_a_group_beyond_its_window_are_all_of_it() -> None:
    truth, known, _ = example()
    wide = complete(truth, known, "patches", window=10**9, members=10, max_iter=1)
    np.testing.assert_array_equal(
        wide.model, complete(truth, known, "patches", window=48, members=10, max_iter=1).model
    )
    many = complete(truth, known, "patches", window=2, members=1000, patch=3, max_iter=1)
    assert np.isfinite(many.model).all()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "one mode": ({"modes": (1,)}, "'modes' of patches must hold two or three mode numbers, counted from 1. Got (1)"),
    "four modes": ({"modes": (1, 2, 3, 4)}, "must hold two or three mode numbers, counted from 1. Got (1, 2, 3, 4)"),
    "a mode twice": ({"modes": (1, 1)}, "must hold two or three mode numbers, counted from 1. Got (1, 1)"),
    "mode 0": ({"modes": (0, 1)}, "must hold two or three mode numbers, counted from 1. Got (0, 1)"),
    "a number of modes": ({"modes": 2}, "must hold two or three mode numbers, counted from 1. Got 2"),
    "a mode too many": ({"modes": (1, 3)}, "'modes' of patches must hold mode numbers from 1 to 2. Got (1, 3)"),
    "no patch": ({"patch": 0}, "The 'patch' of patches must be a whole number, 1 or more. Got 0"),
    "half a patch": ({"patch": 2.5}, "The 'patch' of patches must be a whole number, 1 or more. Got 2.5"),
    "too large": (
        {"patch": 33},
        "The 'patch' of patches must be 32 at most here: no longer than its modes, and of 1,024 entries. Got 33",
    ),
    "too large along these modes": ({"modes": (2, 1), "patch": 10**30}, f"and of 1,024 entries. Got {10**30}"),
    "a patch in words": ({"patch": "5"}, "The 'patch' of patches must be a whole number, 1 or more. Got '5'"),
    "a patch that is a flag": ({"patch": True}, "The 'patch' of patches must be a whole number, 1 or more. Got True"),
    "a side for each mode": ({"patch": (3, 4)}, "must be a whole number, 1 or more. Got (3, 4)"),
    "modes in words": ({"modes": "rows"}, "must hold two or three mode numbers, counted from 1. Got 'rows'"),
    "half a mode": ({"modes": (1.5, 2)}, "must hold two or three mode numbers, counted from 1. Got (1.5, 2)"),
    "half a window": ({"window": 0.5}, "The 'window' of patches must be a whole number, 1 or more. Got 0.5"),
    "one member": ({"members": 1}, "The 'members' of patches must be a whole number from 2 to 1,000. Got 1"),
    "too many members": ({"members": 1001}, "must be a whole number from 2 to 1,000. Got 1001"),
    "noise in words": ({"noise": "little"}, "The 'noise' of patches must be a number above 0. Got 'little'"),
    "no window": ({"window": 0}, "The 'window' of patches must be a whole number, 1 or more. Got 0"),
    "no members": ({"members": -1}, "The 'members' of patches must be a whole number from 2 to 1,000. Got -1"),
    "no noise": ({"noise": 0}, "The 'noise' of patches must be a number above 0. Got 0"),
    "noise that is no number": ({"noise": float("nan")}, "The 'noise' of patches must be a number above 0. Got nan"),
    "no rounds": ({"max_iter": 0}, "The 'max_iter' of patches must be a whole number, 1 or more. Got 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_are_refused_with_what_would_be_right(name: str) -> None:
    settings, sentence = WRONG[name]
    truth, known, _ = example()
    with pytest.raises(InvalidSetting) as refused:
        complete(truth, known, "patches", **settings)
    assert str(refused.value).endswith(f"{sentence} instead.")
