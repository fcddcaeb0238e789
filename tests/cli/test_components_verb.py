"""`tensorfill components`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from stand_in import Run

from tensorfill import complete, formats
from tensorfill.formats import Contents, Metadata


def test_numbers_add_up_to_the_model(tensorfill: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = np.multiply.outer(rng.random(6), np.outer(rng.random(5), rng.random(4)))
    data[rng.random(data.shape) < 0.3] = np.nan
    np.save(tmp_path / "a.npy", data)
    outcome = tensorfill(
        *("components", tmp_path / "a.npy", "-o", tmp_path / "out", "--rank", "2", "--output-format", "npy")
    )
    assert outcome.code == 0, outcome
    parts = [np.load(tmp_path / "out" / f"component-{number}.npy") for number in (1, 2, 3)]
    np.testing.assert_allclose(sum(parts), complete(data, rank=2).estimate.dense(), atol=1e-10)


def test_a_clip_becomes_clips(tensorfill: Run, tmp_path: Path) -> None:
    clip = np.random.default_rng(0).integers(1, 255, (8, 6, 5), dtype=np.uint8)
    formats.write(tmp_path / "a.mkv", Contents(clip, metadata=Metadata(kind="video")))
    outcome = tensorfill(
        "components", tmp_path / "a.mkv", "-o", tmp_path / "out", "--missing-frames", "2", "--rank", "2"
    )
    assert outcome.code == 0, outcome
    for number in (1, 2, 3):
        part = np.asarray(formats.read(tmp_path / "out" / f"component-{number}.mkv"))
        assert part.shape == clip.shape
        assert (part.min(), part.max()) == (0, 255), "stretched"
        assert f"component-{number}.mkv" in outcome.out
