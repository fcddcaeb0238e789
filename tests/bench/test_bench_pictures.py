"""Pictures: one view of a tensor, the same for the truth and for every method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up import card
from PIL import Image

from tensorfill.bench.pictures import Pictures, view


def numbered(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=float).reshape(shape) / np.prod(shape)


def test_an_image_is_shown_whole() -> None:
    np.testing.assert_array_equal(view(numbered(5, 4, 3), "image"), numbered(5, 4, 3))
    np.testing.assert_array_equal(view(numbered(5, 4), "image"), numbered(5, 4))


def test_of_a_video_the_middle_frame_is_shown() -> None:
    np.testing.assert_array_equal(view(numbered(5, 4, 3), "video"), numbered(5, 4, 3)[:, :, 1])
    np.testing.assert_array_equal(view(numbered(5, 4, 7), "video"), numbered(5, 4, 7)[:, :, 3])


def test_of_a_cube_three_bands_are_shown_the_longest_wave_in_red() -> None:
    np.testing.assert_array_equal(view(numbered(5, 4, 21), "cube"), numbered(5, 4, 21)[:, :, [17, 10, 3]])
    assert view(numbered(5, 4, 2), "cube").shape == (5, 4, 3)


def test_of_counts_the_middle_of_the_shortest_mode_is_shown() -> None:
    np.testing.assert_array_equal(view(numbered(8, 4, 9), "counts"), numbered(8, 4, 9)[:, 2, :])


def test_of_further_modes_the_middle_is_shown() -> None:
    np.testing.assert_array_equal(view(numbered(5, 4, 3, 6), "image"), numbered(5, 4, 3, 6)[..., 3])
    np.testing.assert_array_equal(view(numbered(5, 4, 2, 6, 2), "synthetic"), numbered(5, 4, 2, 6, 2)[:, :, 1, 3, 1])


def test_what_is_outside_black_and_white_is_clipped(tmp_path: Path) -> None:
    pictures = Pictures.of(tmp_path, card(shape=(2, 2), kind="image"), np.eye(2))
    assert pictures.write("x", np.array([[-1.0, 0.5], [1.0, 2.0]])) == "pictures/x.png"
    assert np.asarray(Image.open(tmp_path / "pictures" / "x.png")).tolist() == [[0, 128], [255, 255]]


@pytest.mark.parametrize(("kind", "brightest"), [("video", 51), ("cube", 255), ("counts", 255)])
def test_dark_cubes_and_counts_are_made_brighter_by_the_truth_alone(tmp_path: Path, kind: str, brightest: int) -> None:
    truth = np.full((6, 6, 6), 0.2)
    pictures = Pictures.of(tmp_path, card(kind=kind), truth)
    pictures.write("truth", truth)
    pictures.write("half", truth / 2)
    shown = [np.asarray(Image.open(tmp_path / "pictures" / f"{name}.png")).max() for name in ("truth", "half")]
    assert shown[0] == brightest
    assert shown[1] == pytest.approx(brightest / 2, abs=1)


def test_data_that_is_all_zero_is_black(tmp_path: Path) -> None:
    pictures = Pictures.of(tmp_path, card(kind="counts"), np.zeros((3, 4, 5)))
    pictures.write("x", np.zeros((3, 4, 5)))
    pictures.write_component("y", np.zeros((3, 4, 5)))
    assert np.asarray(Image.open(tmp_path / "pictures" / "x.png")).max() == 0


def test_components_have_a_scale_of_their_own(tmp_path: Path) -> None:
    pictures = Pictures.of(tmp_path, card(shape=(1, 3), kind="image"), np.ones((1, 3)))
    pictures.write_component("x", np.array([[-0.02, 0.01, 0.02]]))
    assert np.asarray(Image.open(tmp_path / "pictures" / "x.png")).tolist() == [[0, 128, 255]]


def test_what_is_gone_altogether_is_shown_rather_than_what_is_known() -> None:
    np.testing.assert_array_equal(view(numbered(5, 4, 7), "video", (0, 5)), numbered(5, 4, 7)[:, :, 5])
    np.testing.assert_array_equal(view(numbered(5, 4, 21), "cube", (2, 11)), numbered(5, 4, 21)[:, :, [11, 11, 2]])
    np.testing.assert_array_equal(view(numbered(5, 4, 3, 9), "video", (8,)), numbered(5, 4, 3, 9)[:, :, 1, 8])
    np.testing.assert_array_equal(view(numbered(9, 3, 8), "counts", (7,)), numbered(9, 3, 8)[:, 1])
