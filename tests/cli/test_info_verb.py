"""`tensorfill info`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
from stand_in import Run

from tensorfill import formats
from tensorfill.cli import forecasting
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
    for module in (forecasting, forecasts):
        monkeypatch.setattr(module, "available_memory", lambda: 10**6)
    outcome = refused("complete", tmp_path / "a.mkv", "-o", tmp_path / "b.mkv", "--missing-frames", "1")
    assert "would need about 300 MB of memory, and 1 MB are free" in outcome.err
    assert "take fewer frames with --frames 0-99 or --gray" in outcome.err
    assert "Refuse: it would not fit" in tensorfill("info", tmp_path / "a.mkv", "--missing-frames", "1").out


def test_an_unknown_method_is_refused(refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((3, 3)))
    assert "There is no method 'magic'" in refused("info", tmp_path / "a.npy", "--method", "magic").err
