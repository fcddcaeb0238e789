"""`tensorfill hide`."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from stand_in import Run

from tensorfill import formats
from tensorfill.sampling import PATTERNS, mask


def hidden(path: Path) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
    with np.load(path) as archive:
        assert set(archive.files) == {"data", "observed"}
        return archive["data"], archive["observed"]


def test_what_is_kept_follows_the_documented_rule(tensorfill: Run, tmp_path: Path) -> None:
    truth = np.random.default_rng(9).random((7, 8, 3))
    np.save(tmp_path / "truth.npy", truth)
    outcome = tensorfill("hide", tmp_path / "truth.npy", "-o", tmp_path / "h.npz", "--keep", 0.4, "--seed", 5)
    assert outcome.code == 0
    data, observed = hidden(tmp_path / "h.npz")
    np.testing.assert_array_equal(observed, np.random.default_rng(5).random(truth.shape) < 0.4)
    np.testing.assert_array_equal(data, np.where(observed, truth, np.nan))
    assert f"Kept {observed.sum()} of 168 entries" in outcome.out


def test_a_tenth_is_kept_and_the_seed_is_zero_unless_told(tensorfill: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", np.ones((10, 10)))
    tensorfill("hide", tmp_path / "truth.npy", "-o", tmp_path / "h.npz")
    np.testing.assert_array_equal(hidden(tmp_path / "h.npz")[1], np.random.default_rng(0).random((10, 10)) < 0.1)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "bool", "float32"])
def test_the_hidden_values_are_gone_and_the_dtype_stays(tensorfill: Run, tmp_path: Path, dtype: str) -> None:
    np.save(tmp_path / "truth.npy", np.ones((10, 10), dtype))
    tensorfill("hide", tmp_path / "truth.npy", "-o", tmp_path / "h.npz", "--keep", 0.5)
    data, observed = hidden(tmp_path / "h.npz")
    assert data.dtype == dtype
    gone = data[~observed]
    assert np.isnan(gone).all() if dtype == "float32" else not gone.any()


def test_what_was_missing_before_stays_missing(tensorfill: Run, tmp_path: Path) -> None:
    data = np.ones((4, 4))
    data[0, 0] = np.nan
    known = np.ones((4, 4), bool)
    known[1, 1] = False
    np.savez(tmp_path / "partial.npz", data=data, observed=known)
    tensorfill("hide", tmp_path / "partial.npz", "-o", tmp_path / "h.npz", "--keep", 1)
    left, observed = hidden(tmp_path / "h.npz")
    assert np.argwhere(~observed).tolist() == [[0, 0], [1, 1]]
    assert np.isnan(left[1, 1])


def test_an_existing_file_needs_force(tensorfill: Run, refused: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", np.ones((3, 3)))
    (tmp_path / "h.npz").write_text("precious")
    assert "already there; add --force" in refused("hide", tmp_path / "truth.npy", "-o", tmp_path / "h.npz").err
    assert tensorfill("hide", tmp_path / "truth.npy", "-o", tmp_path / "h.npz", "--force").code == 0


def test_hidden_pixels_of_a_picture_become_transparent(tensorfill: Run, tmp_path: Path) -> None:
    Image.fromarray(np.full((20, 20, 3), 7, np.uint8)).save(tmp_path / "a.png")
    tensorfill("hide", tmp_path / "a.png", "-o", tmp_path / "h.png", "--pattern", "pixels", "--keep", "0.5")
    pixels = np.asarray(Image.open(tmp_path / "h.png"))
    expected = mask("pixels", (20, 20, 3), 0.5, 0)[..., 0]
    np.testing.assert_array_equal(pixels[..., 3], expected * 255)
    np.testing.assert_array_equal(pixels[..., 0], expected * 7)


def test_the_mask_may_go_to_a_file_of_its_own(tensorfill: Run, tmp_path: Path) -> None:
    clip = np.random.default_rng(0).integers(1, 256, (8, 9, 5), dtype=np.uint8)
    formats.write(tmp_path / "a.mkv", formats.Contents(clip))
    tensorfill("hide", tmp_path / "a.mkv", "-o", tmp_path / "h.mkv", "--write-mask", tmp_path / "m.mkv")
    known, _ = formats.read_mask(tmp_path / "m.mkv", clip.shape, "known")
    np.testing.assert_array_equal(known, mask("uniform", clip.shape, 0.1, 0))
    np.testing.assert_array_equal(np.asarray(formats.read(tmp_path / "h.mkv")), np.where(known, clip, 0))


# Patterns


@pytest.mark.parametrize("pattern", [*PATTERNS, "fibres-1", "slices-2"])
def test_the_holes_are_those_of_the_pattern(tensorfill: Run, tmp_path: Path, pattern: str) -> None:
    truth = np.random.default_rng(9).random((20, 18, 6))
    np.save(tmp_path / "truth.npy", truth)
    arguments = ("--keep", 0.7, "--seed", 2, "--pattern", pattern)
    outcome = tensorfill("hide", tmp_path / "truth.npy", "-o", tmp_path / "h.npz", *arguments)
    assert outcome.code == 0, outcome
    data, observed = hidden(tmp_path / "h.npz")
    np.testing.assert_array_equal(observed, mask(pattern, truth.shape, 0.7, 2))
    np.testing.assert_array_equal(data, np.where(observed, truth, np.nan))


def test_help_names_every_pattern(tensorfill: Run) -> None:
    told = " ".join(tensorfill("hide", "--help").out.replace("│", " ").split())
    assert [name for name in PATTERNS if name not in told] == []


@pytest.mark.parametrize("name", ["holes.csv", "holes.parquet"])
@pytest.mark.parametrize("seed", range(3))
def test_a_table_keeps_its_labels_and_their_order(tensorfill: Run, tmp_path: Path, name: str, seed: int) -> None:
    cities, months = ("Rome", "Oslo", "Bergen, West"), ("May", "April", "June", "March")
    lines = [f'"{city}",{month},{7 * c + m}' for c, city in enumerate(cities) for m, month in enumerate(months)]
    (tmp_path / "trips.csv").write_text("\n".join(["city,month,trips", *lines]) + "\n")
    outcome = tensorfill(
        "hide", tmp_path / "trips.csv", "-o", tmp_path / name, "--keep", 0.4, "--seed", seed, "--write-mask",
        tmp_path / "mask.npy",
    )  # fmt: skip
    assert outcome.code == 0
    left = formats.read(tmp_path / name)
    assert isinstance(left, formats.Entries)
    assert left.labels == (cities, months)
    assert left.columns == ("city", "month", "trips")
    kept = np.load(tmp_path / "mask.npy")
    np.testing.assert_array_equal(left.contents().known(), kept)
    np.testing.assert_array_equal(left.values, np.add.outer(7 * np.arange(3), np.arange(4))[kept])
    assert len(left.asked) == np.sum(~kept)
