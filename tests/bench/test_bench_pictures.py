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


@pytest.mark.parametrize(
    ("kind", "shape", "gone", "index"),
    [
        ("image", (5, 4, 3), (), np.s_[:]),
        ("image", (5, 4), (), np.s_[:]),
        ("image", (5, 4, 3, 6), (), np.s_[..., 3]),
        ("video", (5, 4, 3), (), np.s_[:, :, 1]),
        ("video", (5, 4, 7), (), np.s_[:, :, 3]),
        ("video", (5, 4, 7), (0, 5), np.s_[:, :, 5]),
        ("video", (5, 4, 3, 9), (8,), np.s_[:, :, 1, 8]),
        ("cube", (5, 4, 21), (), np.s_[:, :, [17, 10, 3]]),
        ("cube", (5, 4, 21), (2, 11), np.s_[:, :, [11, 11, 2]]),
        ("cube", (5, 4, 2), (), np.s_[:, :, [1, 0, 0]]),
        ("counts", (8, 4, 9), (), np.s_[:, 2, :]),
        ("counts", (9, 3, 8), (7,), np.s_[:, 1]),
        ("synthetic", (5, 4, 2, 6, 2), (), np.s_[:, :, 1, 3, 1]),
    ],
)
def test_the_middle_is_shown_and_rather_what_is_gone(
    kind: str, shape: tuple[int, ...], gone: tuple[int, ...], index: object
) -> None:
    np.testing.assert_array_equal(view(numbered(*shape), kind, gone), numbered(*shape)[index])  # type: ignore[index]


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
