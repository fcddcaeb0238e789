"""`patches` where only strokes are missing, such as scratches and writing: a thin plate, and groups around them."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from patches_examples import (
    Mask,
    error,
    errors,
    glyphs,
    in_colour,
    stop_after,
    stripes,
)

from tensorfill.completion import Completion
from tensorfill.library import complete
from tensorfill.methods.patches import Patches
from tensorfill.missingness import Missingness
from tensorfill.sampling import mask
from tensorfill.tensor import Array


@cache
def scratched() -> tuple[Array, Mask, Completion]:
    """A picture with a few scratches, and its completion."""
    truth = stripes(0)
    known = mask("scratches", truth.shape, 0.9, 0)
    return truth, known, complete(truth, known, "patches")


def test_strokes_in_colour() -> None:
    truth = in_colour(stripes(0))
    known = np.ascontiguousarray(np.broadcast_to(mask("scratches", (64, 64), 0.9, 0)[..., None], truth.shape))
    done = complete(truth, known, "patches")
    assert error(done, truth, known) < error(complete(truth, known, "biharmonic"), truth, known)


def test_strokes_start_from_a_thin_plate_and_groups_improve_it() -> None:
    truth, known, done = scratched()
    plate = complete(truth, known, "biharmonic")
    assert error(done, truth, known) < 0.75 * error(plate, truth, known)
    assert "that of a thin plate" in done.reasons["patches"]
    assert not {"noise", "spectrum"} & set(done.reasons), "spectral is not asked"
    assert done.history.cost[-1] < 0.8 * done.history.cost[0]
    assert (done.stop.kind, done.nonnegative, done.certificate) == ("done", True, None)


def test_what_is_known_beside_strokes_is_kept_and_nothing_lies_below_the_bound() -> None:
    truth, known, done = scratched()
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert done.smallest == done.estimate.dense().min()
    assert done.smallest >= 0


def test_how_sure_it_is_of_what_strokes_hide() -> None:
    truth, known, done = scratched()
    assert np.isfinite(done.uncertainty).all()
    assert (done.uncertainty[~known] > 0).all()
    typical = np.sqrt(np.mean(done.uncertainty[~known] ** 2))
    assert 0.3 < typical / error(done, truth, known) < 3


def test_strokes_can_be_replayed_and_pickled() -> None:
    truth, known, done = scratched()
    np.testing.assert_array_equal(complete(truth, known, "patches", **done.settings).model, done.model)
    again = pickle.loads(pickle.dumps(done))
    np.testing.assert_array_equal(again.uncertainty, done.uncertainty)


@pytest.mark.parametrize("last", [0, 1, 4])
def test_strokes_that_are_cancelled_keep_what_is_there(last: int) -> None:
    truth, known, _ = scratched()
    seen, watch = stop_after(last)
    done = complete(truth, known, "patches", watch=watch)
    assert (done.stop.kind, done.iterations, len(seen)) == ("watch", last, last + 1)
    np.testing.assert_array_equal(done.tensor[known], truth[known])
    assert np.isfinite(done.uncertainty).all()


def test_on_a_smooth_surface_the_thin_plate_stays_or_becomes_better() -> None:
    i, j = np.mgrid[:64, :64]
    surface = 2 + np.sin(i / 10) * np.cos(j / 9)
    known = mask("scratches", surface.shape, 0.9, 0)
    done = complete(surface, known, "patches")
    assert error(done, surface, known) < 0.01
    assert error(done, surface, known) <= 1.1 * error(complete(surface, known, "biharmonic"), surface, known)


def test_strokes_so_dense_that_none_can_be_held_out_are_left_to_spectral() -> None:
    i, j = np.mgrid[:64, :64]
    surface = 1 + np.sin(i / 5) * np.cos(j / 7)
    known = np.ones(surface.shape, dtype=bool)
    known[2:62, 4::8] = False
    assert Patches.sees_strokes(Missingness(known))
    done = complete(surface, known, "patches")
    assert "that of spectral" in done.reasons["patches"]
    assert np.isfinite(done.history.cost).all()
    assert np.isfinite(done.uncertainty).all()
    assert error(done, surface, known) < 0.01


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pattern", ["scratches", "text"])
def test_pictures_with_scratches_or_text(pattern: str, seed: int) -> None:
    """Of which a thin plate, where it starts, knows less than spectral."""
    truth = glyphs(seed)
    known = mask(pattern, truth.shape, 0.85, seed)
    found, smooth = errors(truth, known)
    plate = error(complete(truth, known, "biharmonic"), truth, known)
    assert found < 0.7 * plate
    assert found < 0.9 * smooth
