"""Triangles of known entries: planes are met exactly, and outside of all triangles the nearest entry counts."""

from __future__ import annotations

import numpy as np
import pytest

from tensorfill.numerics import triangles
from tensorfill.numerics.triangles import Triangles


def some_known(share: float, seed: int, shape: tuple[int, int] = (14, 17)) -> np.ndarray:
    known = np.random.default_rng(seed).random(shape) < share
    known[[0, 0, -1, -1], [0, -1, 0, -1]] = True
    return known


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
@pytest.mark.parametrize("seed", range(4))
def test_planes_are_met(share: float, seed: int) -> None:
    known = some_known(share, seed)
    plane = 3.0 + np.add.outer(2.0 * np.arange(14), -0.5 * np.arange(17))
    found = Triangles.around_missing(known).interpolate(np.where(known, plane, 0.0))
    np.testing.assert_allclose(found, plane[~known], atol=1e-10)


def test_a_hole_is_filled_from_its_rim() -> None:
    known = np.ones((14, 17), dtype=bool)
    known[3:9, 4:12] = False
    values = np.random.default_rng(0).random(known.shape)
    triangles = Triangles.around_missing(known)
    rim = np.zeros(known.shape, dtype=bool)
    rim[2:10, 3:13] = True
    assert rim.reshape(-1)[triangles.corners].all()
    assert (triangles.interpolate(values) <= values[rim & known].max() + 1e-12).all()


def test_weights_are_those_of_a_mean() -> None:
    triangles = Triangles.around_missing(some_known(0.2, 0))
    np.testing.assert_allclose(triangles.weights.sum(axis=1), 1.0)
    assert (triangles.weights > -1e-9).all()


def test_outside_of_all_triangles_the_nearest_entry_counts() -> None:
    known = np.zeros((5, 9), dtype=bool)
    known[[1, 1, 3], [1, 3, 1]] = True
    values = np.zeros(known.shape)
    values[known] = [1.0, 2.0, 3.0]
    filled = np.zeros(known.shape)
    filled[~known] = Triangles.around_missing(known).interpolate(values)
    assert filled[1, 8] == 2.0
    assert filled[0, 0] == 1.0
    assert filled[4, 0] == 3.0
    assert filled[1, 2] == pytest.approx(1.5)


def test_entries_on_a_line_have_no_triangles() -> None:
    known = np.zeros((4, 5), dtype=bool)
    known[2] = True
    values = np.where(known, np.arange(5.0), 0.0)
    filled = np.zeros(known.shape)
    filled[~known] = Triangles.around_missing(known).interpolate(values)
    assert (filled[[0, 1, 3]] == np.arange(5.0)).all()


@pytest.mark.parametrize("turned", [False, True])
def test_a_long_strip_is_interpolated_in_pieces_to_the_same_values(turned: bool) -> None:
    rng = np.random.default_rng(0)
    known = rng.random((5, 3000)) < 0.5
    place = np.arange(15000.0).reshape(5, 3000)
    values = np.sin(place % 3000 / 40) + place // 3000
    if turned:
        known, values = np.ascontiguousarray(known.T), np.ascontiguousarray(values.T)
    assert len(list(triangles._cut_strip(known.shape))) > 1
    in_pieces = Triangles.around_missing(known).interpolate(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triangles, "_LONG", 10**9)
        whole = Triangles.around_missing(known).interpolate(values)
    off = np.abs(in_pieces - whole)
    assert np.mean(off < 1e-12) > 0.85, "corners on a circle can be joined in two ways"
    errors = [float(np.sqrt(np.mean((found - values[~known]) ** 2))) for found in (in_pieces, whole)]
    assert errors[0] == pytest.approx(errors[1], rel=0.05)
