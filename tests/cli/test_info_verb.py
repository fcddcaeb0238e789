"""`tensorfill info`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from stand_in import Run

from tensorfill import formats
from tensorfill.cli import solving
from tensorfill.formats import Contents, Metadata
from tensorfill.methods import forecast as forecasts


def test_a_clip_with_dead_frames(tensorfill: Run, tmp_path: Path) -> None:
    clip = np.random.default_rng(0).integers(3, 250, (12, 16, 10), dtype=np.uint8)
    facts = Metadata(kind="video", frame_rate=Fraction(25))
    formats.write(tmp_path / "a.mkv", Contents(clip, metadata=facts))
    told = json.loads(tensorfill("info", tmp_path / "a.mkv", "--missing-frames", "2-3", "--json").out)
    assert (told["format"], told["kind"], told["shape"], told["dtype"]) == ("mkv", "video", [12, 16, 10], "uint8")
    assert (told["missing"], told["missing_share"]) == (2 * 12 * 16, 0.2)
    assert told["frame_rate"] == 25
    left = np.delete(clip, [2, 3], axis=2)
    assert (told["smallest"], told["largest"]) == (left.min(), left.max())
    assert told["what_it_would_do"] == "Fill 384 entries by auto."
    assert told["memory_bytes"] > 0
    assert told["seconds"] > 0


def test_words_for_people(tensorfill: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.5]]))
    out = tensorfill("info", tmp_path / "a.npy").out
    for words in ("2 × 3", "float64", "16.7%", "Fill 1 entries by auto.", "MB"):
        assert words in out


def test_without_holes_it_says_how_to_name_them(tensorfill: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((3, 3)))
    assert "Say what is with --mask, --missing or --missing-frames." in tensorfill("info", tmp_path / "a.npy").out


def test_a_table(tensorfill: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("city,year,count\nOslo,2001,3\nRome,2002,4\nRome,2001,\n")
    told = json.loads(tensorfill("info", tmp_path / "a.csv", "--json").out)
    assert (told["kind"], told["shape"], told["known"]) == ("table", [2, 2], 2)


def test_what_would_not_fit_is_refused_before_the_work(
    refused: Run, tensorfill: Run, tmp_path: Path, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    clip = np.ones((8, 8, 5, 3), np.uint8)
    formats.write(tmp_path / "a.mkv", Contents(clip, metadata=Metadata(kind="video")))
    for module in (solving, forecasts):
        monkeypatch.setattr(module, "available_memory", lambda: 10**6)
    outcome = refused("complete", tmp_path / "a.mkv", "-o", tmp_path / "b.mkv", "--missing-frames", "1")
    assert "would need about 300 MB of memory, and 1 MB are free" in outcome.err
    assert "take fewer frames with --frames 0-99 or --gray" in outcome.err
    assert "Refuse: it would not fit" in tensorfill("info", tmp_path / "a.mkv", "--missing-frames", "1").out


@pytest.mark.parametrize(
    "data", [np.array([[1.0, np.nan], [-2.0, 3.0]]), np.array([1.0, np.nan, 2.0])], ids=["negative", "one mode"]
)
def test_what_complete_would_refuse_is_said_in_the_same_words(
    tensorfill: Run, refused: Run, tmp_path: Path, data: np.ndarray
) -> None:
    np.save(tmp_path / "a.npy", data)
    advice = json.loads(tensorfill("info", tmp_path / "a.npy", "--json").out)["what_it_would_do"]
    assert advice.startswith("Refuse: ")
    assert advice.removeprefix("Refuse: ") in refused("complete", tmp_path / "a.npy", "-o", tmp_path / "b.npy").err


def test_a_folder_gets_the_same_answer_as_from_complete(refused: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("f1.png", "f2.png", "poster.png"):
        formats.write(tmp_path / "in" / name, formats.Contents(np.ones((3, 4), np.uint8)))
    answers = {refused(*verb).err for verb in (("info", tmp_path / "in"), ("complete", tmp_path / "in", "-o", "x"))}
    assert len(answers) == 1
    assert "could be one clip of 2 pictures such as f1.png, or 3 files of their own" in answers.pop()


def test_the_axes_of_a_hyperstack_are_named(tensorfill: Run, tmp_path: Path) -> None:
    metadata = formats.Metadata(kind="volume", axes="YXTZC")
    formats.write(tmp_path / "a.tif", formats.Contents(np.ones((3, 4, 2, 3, 2), np.uint8), metadata=metadata))
    told = json.loads(tensorfill("info", tmp_path / "a.tif", "--json").out)
    assert told["axes"] == ["row", "column", "frame", "slice", "channel"]
