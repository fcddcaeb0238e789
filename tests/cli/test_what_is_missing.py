"""Holes given in any way a person has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stand_in import MeanFill, Run

from tensorfill import formats
from tensorfill.formats import Contents, Metadata


@pytest.fixture
def seen(tensorfill: Run, solver: MeanFill, tmp_path: Path):  # type: ignore[no-untyped-def]
    """What the solver is told is missing in this array, with these options."""

    def run(name: str, data: np.ndarray, *options: object, kind: str = "array") -> np.ndarray:
        formats.write(tmp_path / name, Contents(data, metadata=Metadata(kind=kind)))  # type: ignore[arg-type]
        outcome = tensorfill("complete", tmp_path / name, "-o", tmp_path / "done.npy", "--force", *options)
        assert outcome.code == 0, outcome
        known = solver.calls[-1]["observed"]
        return np.zeros(data.shape, bool) if known is None else ~known

    return run


def test_a_value(seen) -> None:  # type: ignore[no-untyped-def]
    data = np.array([[0, 1, 2], [3, 0, 5]], np.uint8)
    assert seen("a.npy", data, "--missing", "0").tolist() == (data == 0).tolist()


def test_a_colour_is_missing_only_as_a_whole(seen) -> None:  # type: ignore[no-untyped-def]
    data = np.full((3, 4, 3), 9, np.uint8)
    data[0, 0] = 255, 0, 255
    data[1, 1] = 255, 0, 254
    missing = seen("a.png", data, "--missing", "255,0,255")
    assert np.argwhere(missing).tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 2]]


def test_a_colour_with_a_tolerance_and_a_rim(seen) -> None:  # type: ignore[no-untyped-def]
    data = np.full((9, 9, 3), 9, np.uint8)
    data[4, 4] = 230, 20, 10
    missing = seen("a.png", data, "--missing", "255,0,0", "--tolerance", "60", "--grow", "1")
    assert np.argwhere(missing[..., 0]).tolist() == [[3, 4], [4, 3], [4, 4], [4, 5], [5, 4]]
    assert (missing == missing[..., :1]).all()


def test_dead_slices_of_several_modes_do_not_grow(seen) -> None:  # type: ignore[no-untyped-def]
    slices = ("--missing-slices", "1:0", "--missing-slices", "3:2-3,8")
    data = np.ones((3, 4, 9))
    data[2, 0, 0] = 5
    missing = seen("a.npy", data, *slices, "--missing", "5", "--grow", "1")
    assert missing[0].all()
    assert np.flatnonzero(missing[1, 3]).tolist() == [2, 3, 8]
    assert np.argwhere(missing[:, :, 0]).tolist() == [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [2, 0], [2, 1]]


def test_a_rim_that_looks_like_what_was_removed_is_told(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    data = np.full((60, 60, 3), 40, np.uint8)
    data[10:50, 28:34], data[10:50, 27], data[10:50, 34] = (255, 0, 0), (150, 20, 20), (150, 20, 20)
    formats.write(tmp_path / "a.png", Contents(data))
    arguments = ("complete", tmp_path / "a.png", "-o", tmp_path / "b.png", "--missing", "255,0,0", "--force")
    note = "Pixels at the rim of the holes look like what was removed: --grow 2 and --tolerance 40 may help."
    assert note in tensorfill(*arguments).err
    assert note not in tensorfill(*arguments, "--grow", "2").err


@pytest.mark.parametrize("option", ["--missing-frames", "--missing-bands"])
def test_dead_frames_or_bands_by_index(seen, option: str) -> None:  # type: ignore[no-untyped-def]
    missing = seen("a.npy", np.ones((3, 4, 9)), option, "2-4,7")
    assert np.flatnonzero(missing.all(axis=(0, 1))).tolist() == [2, 3, 4, 7]
    assert missing.sum() == 4 * 12


def test_frames_of_a_clip_in_colour_are_not_its_channels(seen) -> None:  # type: ignore[no-untyped-def]
    clip = np.random.default_rng(0).integers(1, 255, (4, 6, 5, 3), dtype=np.uint8)
    missing = seen("a.mkv", clip, "--missing-frames", "1", kind="video")
    assert missing[:, :, 1].all()
    assert missing.sum() == missing[:, :, 1].size


def test_a_mask_either_way_round(seen, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    marked = np.zeros((3, 4), bool)
    marked[1, 2] = True
    np.save(tmp_path / "m.npy", marked)
    data = np.ones((3, 4, 2))
    missing = seen("a.npy", data, "--mask", tmp_path / "m.npy", "--mask-means", "missing")
    assert missing.tolist() == np.repeat(marked[..., None], 2, axis=2).tolist()
    known = seen("a.npy", data, "--mask", tmp_path / "m.npy", "--mask-means", "known")
    assert known.tolist() == np.repeat(~marked[..., None], 2, axis=2).tolist()


def test_all_of_it_counts_together_with_nan(seen) -> None:  # type: ignore[no-untyped-def]
    data = np.arange(30.0).reshape(2, 3, 5)
    data[0, 0, 0] = np.nan
    missing = seen("a.npy", data, "--missing", "6", "--missing-frames", "3")
    assert missing.sum() == 1 + 1 + 6
    assert missing[0, 0, 0]
    assert missing[0, 1, 1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--missing", "red"), "--missing takes a value, or one for every channel"),
        (("--missing", "1,2"), "2 values stand for a colour"),
        (("--missing-frames", "3-1"), "--missing-frames takes indices counted from 0"),
        (("--missing-frames", "0-999999999999"), "--missing-frames takes indices counted from 0"),
        (("--missing-frames", "9"), "The frames or bands are 0 … 5. Got 9"),
        (("--missing", "7"), "a.npy: No entry is 7, so --missing 7 finds no hole; the nearest one is 6 off"),
        (("--tolerance", "3"), "add --missing VALUE"),
        (("--missing", "1", "--tolerance", "-1"), "--tolerance must be a number of levels"),
        (("--grow", "-1"), "--grow must be a whole number of pixels"),
        (("--missing-slices", "2"), "--missing-slices takes a mode, counted from 1, and indices of it, counted from 0"),
        (("--missing-slices", "2:x"), "--missing-slices MODE:INDICES takes indices counted from 0"),
        (("--missing-slices", "4:0"), "The modes of data of shape (3, 3, 6) are 1 … 3. Got 4"),
        (("--missing-slices", "2:3"), "The slices of mode 2 are 0 … 2. Got 3"),
        (("--mask-means", "known"), "add --mask FILE"),
        (("--mask-means", "white"), "--mask-means must be missing or known"),
        (("--size", "176"), "--size takes columns x rows, like 176x144"),
        (("--frames", "all"), "--frames takes the first and the last frame"),
        (("--format", "word"), "There is no format 'word'"),
    ],
)
def test_what_cannot_be_meant_is_refused(refused: Run, tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    np.save(tmp_path / "a.npy", np.ones((3, 3, 6)))
    assert sentence in refused("complete", tmp_path / "a.npy", "-o", tmp_path / "done.npy", *options).err


def test_a_picture_has_no_frames(refused: Run, tmp_path: Path) -> None:
    formats.write(tmp_path / "a.png", Contents(np.ones((3, 3, 3), np.uint8)))
    outcome = refused("complete", tmp_path / "a.png", "-o", tmp_path / "b.png", "--missing-frames", "1")
    assert "There are no frames or bands in data of shape (3, 3, 3)" in outcome.err


def test_a_table_says_itself_what_is_missing(refused: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("city,year,count\nOslo,2001,3\nRome,2002,4\n")
    outcome = refused("complete", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--missing", "0")
    assert "is a table" in outcome.err
