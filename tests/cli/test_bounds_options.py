"""`--lower` and `--upper`: signed data through the shell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from stand_in import Run

from tensorfill import formats
from tensorfill.formats import Contents

QUICK = ("--method", "linear")


@pytest.fixture
def truth() -> NDArray[np.float32]:
    x, y = np.meshgrid(np.linspace(0, 3, 12), np.linspace(0, 2, 10), indexing="ij")
    return (3 * np.sin(x) * np.cos(y) - 1).astype(np.float32)


@pytest.fixture
def holed(truth: NDArray[np.float32]) -> NDArray[np.float32]:
    data = truth.copy()
    data[np.random.default_rng(0).random(data.shape) < 0.3] = np.nan
    return data


@pytest.mark.parametrize("extension", [".npy", ".npz", ".tif", ".mat", ".nii"])
def test_signed_floats_of_every_kind_of_file(
    tensorfill: Run, holed: NDArray[np.float32], tmp_path: Path, extension: str
) -> None:
    formats.write(tmp_path / f"a{extension}", Contents(holed))
    outcome = tensorfill(
        "complete", tmp_path / f"a{extension}", "-o", tmp_path / f"b{extension}", "--lower", "none", *QUICK
    )
    assert outcome.code == 0, outcome
    filled = np.asarray(formats.read_contents(tmp_path / f"b{extension}").data).reshape(holed.shape)
    known = ~np.isnan(holed)
    assert filled.dtype == np.float32
    np.testing.assert_array_equal(filled[known], holed[known])
    assert np.isfinite(filled).all()
    assert filled.min() < -1


def test_hounsfield_units_stay_whole_numbers(tensorfill: Run, truth: NDArray[np.float32], tmp_path: Path) -> None:
    scan = np.rint(300 * truth).astype(np.int16)[:, :, None].repeat(4, axis=2)
    formats.write(tmp_path / "ct.nii.gz", Contents(scan))
    known = np.random.default_rng(0).random(scan.shape) < 0.7
    np.save(tmp_path / "mask.npy", known)
    outcome = tensorfill(
        *("complete", tmp_path / "ct.nii.gz", "-o", tmp_path / "done.nii.gz", "--mask", tmp_path / "mask.npy"),
        *("--mask-means", "known", "--lower=-1024", "--upper", "3071", "--report", tmp_path / "r.json"),
    )
    assert outcome.code == 0, outcome
    filled = formats.read_contents(tmp_path / "done.nii.gz").data
    assert filled.dtype == np.int16
    np.testing.assert_array_equal(filled[known], scan[known])
    assert np.abs(filled.astype(int) - scan).max() < 300
    told = json.loads((tmp_path / "r.json").read_text())
    assert (told["lower"], told["upper"]) == (-1024, 3071)


def test_a_table_of_temperatures(tensorfill: Run, tmp_path: Path) -> None:
    rows = [f"s{site},{day},{site - day}" for site in range(6) for day in range(5) if (site + day) % 4]
    (tmp_path / "t.csv").write_text("\n".join(["site,day,celsius", *rows]) + "\n")
    outcome = tensorfill("complete", tmp_path / "t.csv", "-o", tmp_path / "done.csv", "--lower", "none", *QUICK)
    assert outcome.code == 0, outcome
    assert (tmp_path / "done.csv").read_text().splitlines()[2] == "s0,1,-1"


def test_the_table_names_the_bound(tensorfill: Run, holed: NDArray[np.float32], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", holed)
    bounded = tensorfill("complete", tmp_path / "a.npy", "-o", tmp_path / "b.npy", "--lower", "-4", "--method", "dual")
    free = tensorfill("complete", tmp_path / "a.npy", "-o", tmp_path / "c.npy", "--lower", "none", "--method", "dual")
    assert "smallest entry before clipping  -" in bounded.out
    assert "smallest entry   -" in free.out


def test_what_clipping_did_is_told(tensorfill: Run, holed: NDArray[np.float32], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", holed)
    count = int((holed > 1).sum())
    outcome = tensorfill(
        *("complete", tmp_path / "a.npy", "-o", tmp_path / "b.npy", "--lower", "none", "--upper", "1"),
        *("--clip-negative", *QUICK),
    )
    assert f"Note: {count} known values above 1.0 were set to 1.0.\n" in outcome.out
    assert np.load(tmp_path / "b.npy").max() == 1


def test_info_says_what_has_to_be_given(tensorfill: Run, holed: NDArray[np.float32], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", holed)
    said = tensorfill("info", tmp_path / "a.npy").out
    assert "Refuse:" in said
    assert "--lower none" in said


def test_components_of_signed_data_add_up(tensorfill: Run, holed: NDArray[np.float32], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", holed)
    command = ("components", tmp_path / "a.npy", "-o", tmp_path / "out", "--output-format", "npy", "--lower", "none")
    outcome = tensorfill(*command, "--rank", "4")
    assert outcome.code == 0, outcome
    assert "a constant is among them, as they count from the smallest known value." in outcome.out
    parts = [np.load(tmp_path / "out" / f"component-{number}.npy") for number in (1, 2, 3)]
    assert np.abs(sum(parts) - holed)[~np.isnan(holed)].max() < 0.3
    (tmp_path / "out" / "component-1.npy").unlink()
    (tmp_path / "out" / "component-2.npy").unlink()
    assert tensorfill(*command).code == 2, "the third is still there"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--lower", "zero"), "--lower takes a number, or none for no bound. Got 'zero' instead."),
        (("--upper", "inf"), "--upper takes a number, or none for no bound. Got 'inf' instead."),
        (("--lower", "5", "--upper", "2"), "--upper must be above --lower 5. Got 2 instead."),
        (("--lower", "none", "--method", "ncpc"), "ncpc is a sum of nonnegative parts and needs a lower bound"),
        ((), "observed values are negative"),
        (("--lower", "-1"), "observed values are below --lower -1"),
        (("--lower", "none", "--upper", "1"), "observed values are above --upper 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    refused: Run, holed: NDArray[np.float32], tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    np.save(tmp_path / "a.npy", holed)
    assert complaint in refused("complete", tmp_path / "a.npy", "-o", tmp_path / "b.npy", *options).err


def test_signed_data_is_no_picture(refused: Run, holed: NDArray[np.float32], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", holed)
    complaint = refused("complete", tmp_path / "a.npy", "-o", tmp_path / "b.png", "--lower", "none").err
    assert "must lie between 0 and 1 to become a .png picture. Got -" in complaint


def test_a_picture_without_a_bound_is_still_one(tensorfill: Run, truth: NDArray[np.float32], tmp_path: Path) -> None:
    data = (truth - truth.min()) / np.ptp(truth)
    data[data < 0.1] = np.nan  # what is missing is darkest
    np.save(tmp_path / "a.npy", data)
    outcome = tensorfill("complete", tmp_path / "a.npy", "-o", tmp_path / "b.png", "--lower", "none")
    assert outcome.code == 0, outcome
    assert formats.read_contents(tmp_path / "b.png").dtype == np.uint8


def test_the_preview_shows_the_whole_range(tensorfill: Run, holed: NDArray[np.float32], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", holed)
    tensorfill(
        *("complete", tmp_path / "a.npy", "-o", tmp_path / "b.npy", "--preview", tmp_path / "p.png"),
        *("--lower", "none", *QUICK),
    )
    picture = formats.read_contents(tmp_path / "p.png").data
    after = picture[-150:, picture.shape[1] // 2 - 40 : picture.shape[1] // 2 + 40]
    assert len(np.unique(after)) > 50, "not black where negative"
