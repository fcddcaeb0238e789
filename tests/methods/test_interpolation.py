"""Methods for single pictures: what they do in a slice, how slices follow each other, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill.completion import Completion
from tensorfill.methods import interpolation
from tensorfill.methods.interpolation import Biharmonic, Linear
from tensorfill.observed import ObservedTensor
from tensorfill.tensor import Array

ROWS, COLUMNS = 9, 8


def run(method: Any, data: Array, known: NDArray[np.bool_], watch: Any = None) -> Completion:
    done = method.complete(ObservedTensor.from_array(data, known), rng=np.random.default_rng(0), watch=watch)
    assert isinstance(done, Completion)
    return done


def planes(*others: int) -> Array:
    """A plane in every slice, each another one; the largest value is 1, so that nothing is rescaled."""
    rng = np.random.default_rng(1)
    i, j = (axis.reshape(ROWS, COLUMNS, *(1 for _ in others)) for axis in np.indices((ROWS, COLUMNS)))
    data = i * rng.random(others) + j * rng.random(others) + rng.random(others)
    return np.asarray(data / data.max())


def corners_and_some(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """A few known entries, the corners of every slice among them, so that nothing lies outside the triangles."""
    known = np.random.default_rng(2).random(shape) < 0.2
    known[:: ROWS - 1, :: COLUMNS - 1] = True
    return known


# Linear interpolation in a slice


@pytest.mark.parametrize("others", [(), (4,), (3, 2), (2, 1, 2)], ids=str)
def test_planes_are_found_again_in_every_slice(others: tuple[int, ...]) -> None:
    data = planes(*others)
    np.testing.assert_allclose(run(Linear(), data, corners_and_some(data.shape)).model, data, atol=1e-13)


def test_values_inside_a_triangle_are_weighted_means_of_its_corners() -> None:
    data, known = np.zeros((5, 5)), np.zeros((5, 5), dtype=bool)
    for row, column, value in ((0, 0, 0.0), (4, 0, 1.0), (0, 4, 0.5)):
        data[row, column], known[row, column] = value, True
    model = run(Linear(), data, known).model
    for row, column in ((1, 1), (2, 1), (0, 3), (2, 2)):
        assert model[row, column] == pytest.approx(row / 4 * 1.0 + column / 4 * 0.5)


def test_outside_the_triangles_the_nearest_known_value_is_taken() -> None:
    data, known = np.zeros((6, 6)), np.zeros((6, 6), dtype=bool)
    for row, column, value in ((1, 1, 0.2), (1, 3, 0.4), (3, 1, 1.0)):
        data[row, column], known[row, column] = value, True
    model = run(Linear(), data, known).model
    assert (model[0, 0], model[0, 5], model[5, 0]) == (0.2, 0.4, 1.0)


def test_known_entries_on_one_line_give_nearest_values() -> None:
    data = np.tile([[0.25, 0.0, 0.0, 1.0]], (3, 1))
    known = np.zeros((3, 4), dtype=bool)
    known[1, [0, 1, 3]] = True
    np.testing.assert_array_equal(run(Linear(), data, known).model, data)


@pytest.mark.parametrize("method", [Linear(), Biharmonic()], ids=lambda method: method.name)
def test_a_slice_with_nothing_known_gets_the_mean_of_all(method: Any) -> None:
    if method.name == "biharmonic":
        pytest.importorskip("skimage")
    data = planes(3)
    known = corners_and_some(data.shape)
    known[:, :, 1] = False
    np.testing.assert_allclose(run(method, data, known).model[:, :, 1], data[known].mean())


def test_a_slice_with_two_known_entries_gets_their_mean() -> None:
    data = planes(2)
    known = corners_and_some(data.shape)
    known[:, :, 0] = False
    known[[1, 4], [2, 7], 0] = True
    model = run(Linear(), data, known).model[:, :, 0]
    np.testing.assert_allclose(np.delete(model, [1 * COLUMNS + 2, 4 * COLUMNS + 7]), data[[1, 4], [2, 7], 0].mean())
    np.testing.assert_array_equal(model[[1, 4], [2, 7]], data[[1, 4], [2, 7], 0])


def test_a_slice_whose_known_entries_are_alike_is_constant_to_the_last_bit() -> None:
    data = np.full((20, 18, 5), 1 / 3) * np.arange(1, 6)
    data /= data.max()
    model = run(Linear(), data, np.random.default_rng(3).random(data.shape) < 0.3).model
    np.testing.assert_array_equal(model, data)


# Biharmonic inpainting in a slice


def test_smooth_surfaces_are_found_again_in_a_hole() -> None:
    pytest.importorskip("skimage")
    i, j = np.indices((12, 11))
    data = np.stack([3 * i + 2 * j + 1, i * i - j * j + 200], axis=2) / 400  # harmonic, and so biharmonic
    known = np.ones(data.shape, dtype=bool)
    known[4:8, 3:8] = False
    np.testing.assert_allclose(run(Biharmonic(), data, known).model, data, atol=1e-12)


def test_a_slice_that_has_no_solution_gets_its_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    restoration = pytest.importorskip("skimage.restoration")
    monkeypatch.setattr(restoration, "inpaint_biharmonic", lambda image, mask: np.where(mask, np.nan, image))
    data = planes(2)
    known = corners_and_some(data.shape)
    model = run(Biharmonic(), data, known).model
    for number in range(2):
        there = known[:, :, number]
        np.testing.assert_allclose(model[:, :, number][~there], data[:, :, number][there].mean())


def test_without_scikit_image_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = planes(2)
    observed = ObservedTensor.from_array(data, corners_and_some(data.shape))
    monkeypatch.setattr(interpolation, "find_spec", lambda name: None if name == "skimage" else object())
    refusal = Biharmonic().refuses(observed)
    assert refusal == 'biharmonic needs scikit-image, which is not installed: pip install "tensorfill[inpaint]".'
    monkeypatch.setattr(interpolation, "find_spec", lambda name: object())
    assert Biharmonic().refuses(observed) is None


# One slice after another


@pytest.fixture(params=[Linear(), Biharmonic()], ids=lambda method: method.name)
def method(request: pytest.FixtureRequest) -> Any:
    if request.param.name == "biharmonic":
        pytest.importorskip("skimage")
    return request.param


def test_every_slice_is_an_iteration_and_the_cost_is_how_many_are_left(method: Any) -> None:
    data = planes(2, 3)
    done = run(method, data, corners_and_some(data.shape))
    assert done.history.cost.tolist() == [6, 5, 4, 3, 2, 1, 0]
    assert (done.stop.kind, done.settings["max_iter"]) == ("done", 6)


def test_a_slice_does_not_see_the_others(method: Any) -> None:
    data = planes(4)
    known = corners_and_some(data.shape)
    whole = run(method, data, known).model
    for number in range(4):
        alone = run(method, data[:, :, number], known[:, :, number]).model
        np.testing.assert_allclose(alone, whole[:, :, number], atol=1e-12)


def test_cancelling_leaves_the_mean_in_slices_not_done(method: Any) -> None:
    data = planes(2, 2)
    known = corners_and_some(data.shape)
    whole = run(method, data, known).model
    done = run(method, data, known, watch=lambda snapshot: snapshot.step.iteration == 3)
    np.testing.assert_array_equal(
        done.model.reshape(ROWS, COLUMNS, 4)[:, :, :3], whole.reshape(ROWS, COLUMNS, 4)[:, :, :3]
    )
    np.testing.assert_allclose(done.model[:, :, 1, 1], data[known].mean())
    assert done.stop.kind == "watch"


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (1, 1, 3), (1, 5, 2), (5, 1, 2), (2, 2, 2)], ids=str)
def test_slices_of_one_row_or_column_are_no_problem(method: Any, shape: tuple[int, ...]) -> None:
    known = np.arange(np.prod(shape)).reshape(shape) % 2 == 0
    model = run(method, np.full(shape, 2.0), known).model
    np.testing.assert_allclose(model, 2.0)
