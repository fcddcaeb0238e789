"""The preview: before, after and difference in one picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stand_in import MeanFill, Run

from tensorfill import formats
from tensorfill.formats import Contents, Metadata

MAGENTA = (255, 0, 255)


def panels(path: Path, width: int) -> list[np.ndarray]:
    sheet = np.asarray(Image.open(path).convert("RGB"))
    return [sheet[24:, 8 + k * (width + 8) : 8 + k * (width + 8) + width][: sheet.shape[0] - 32] for k in range(3)]


def test_a_picture_before_after_and_the_difference(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    pixels = np.full((200, 160, 3), 100, np.uint8)
    pixels[50:60, 40:80] = 0
    formats.write(tmp_path / "a.png", Contents(pixels))
    tensorfill(
        "complete", tmp_path / "a.png", "-o", tmp_path / "b.png", "--missing", "0", "--preview", tmp_path / "p.png"
    )
    before, after, difference = panels(tmp_path / "p.png", 160)
    assert tuple(before[55, 60]) == MAGENTA
    assert tuple(before[100, 10]) == (100, 100, 100)
    np.testing.assert_array_equal(after, np.full((200, 160, 3), 100))
    assert tuple(difference[55, 60]) == (100, 100, 100)
    assert difference[100, 10].sum() == 0


def test_a_lost_frame_is_shown_rather_than_one_with_scratches(
    tensorfill: Run, solver: MeanFill, tmp_path: Path
) -> None:
    clip = np.full((200, 160, 9), 50, np.uint8)
    clip[:, 80] = 255
    formats.write(tmp_path / "a.mkv", Contents(clip, metadata=Metadata(kind="video")))
    tensorfill(
        *("complete", tmp_path / "a.mkv", "-o", tmp_path / "b.mkv", "--missing", "255", "--missing-frames", "1"),
        *("--preview", tmp_path / "p.png"),
    )
    before, after, _ = panels(tmp_path / "p.png", 160)
    assert (before == MAGENTA).all(), "the lost frame, not one of those in the middle"
    assert (after == 50).all()


@pytest.mark.parametrize("count", [3, 4, 7])
def test_of_a_clip_a_frame_with_holes_is_shown_also_where_there_are_as_many_as_colours(
    tensorfill: Run, solver: MeanFill, tmp_path: Path, count: int
) -> None:
    clip = np.full((200, 160, count), 50, np.uint8)
    formats.write(tmp_path / "a.mkv", Contents(clip, metadata=Metadata(kind="video")))
    tensorfill(
        *("complete", tmp_path / "a.mkv", "-o", tmp_path / "b.mkv", "--missing-frames", "1"),
        *("--preview", tmp_path / "p.png"),
    )
    before, after, _ = panels(tmp_path / "p.png", 160)
    assert (before == MAGENTA).all()
    assert (after == 50).all()


def test_small_arrays_are_enlarged(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1.0, np.nan], [3.0, 4.0]]))
    tensorfill("complete", tmp_path / "a.npy", "-o", tmp_path / "b.npy", "--preview", tmp_path / "p.png")
    assert Image.open(tmp_path / "p.png").width > 3 * 100
