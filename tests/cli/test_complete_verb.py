"""`tensorfill complete`, when all goes well."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stand_in import MeanFill, Run


def test_an_npz_output_holds_the_completed_data_and_what_was_observed(
    tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path
) -> None:
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npz").code == 0
    with np.load(holes) as given, np.load(tmp_path / "done.npz") as done:
        np.testing.assert_array_equal(done["observed"], given["observed"])
        np.testing.assert_array_equal(done["data"][given["observed"]], given["data"][given["observed"]])
        assert done["data"].dtype == np.uint8
        assert (done["data"] > 0).all(), "the holes are filled"


def test_an_npy_output_holds_the_array(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npy").code == 0
    assert np.load(tmp_path / "done.npy").shape == (6, 5, 3)


def test_a_png_output_is_a_picture(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    assert tensorfill("complete", holes, "-o", tmp_path / "done.png").code == 0
    with Image.open(tmp_path / "done.png") as picture:
        assert (picture.size, picture.mode) == ((5, 6), "RGB")


def test_a_jpg_output_comes_with_a_warning(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    assert "lossy" in tensorfill("complete", holes, "-o", tmp_path / "done.jpg").out


def test_floats_become_a_picture_with_a_note(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    solver.fill = 1.2
    np.save(tmp_path / "holes.npy", np.array([[0.5, np.nan], [1.0, 0.0]]))
    assert "scaled by 255" in tensorfill("complete", tmp_path / "holes.npy", "-o", tmp_path / "done.png").out
    assert np.asarray(Image.open(tmp_path / "done.png")).tolist() == [[128, 255], [255, 0]]


def test_raw_writes_the_model_in_floating_point(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    solver.fill = 1.5
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npy", "--raw").code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "done.npy"), np.full((6, 5, 3), 1.5))


def test_the_table_tells_how_it_went(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    lines = tensorfill("complete", holes, "-o", tmp_path / "done.npy").out.splitlines()
    told = [" ".join(line.split()) for line in lines]
    assert "stopped because The relative gap is small." in told
    assert "iterations 2" in told
    assert "seconds 1.25" in told
    assert "relative gap 5.00e-01" in told
    assert "smallest entry before clipping -0.25" in told
    assert "Note: A note of the method." in told


def test_only_the_settings_given_are_passed_on(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    tensorfill("complete", holes, "-o", tmp_path / "done.npy")
    (call,) = solver.calls
    assert set(call) == {"observed", "method", "keep_observed", "negatives", "seed", "time_limit", "bounds"}
    assert call["time_limit"] is None
    assert (call["method"], call["keep_observed"], call["negatives"], call["seed"]) == (
        "auto",
        True,
        "raise",
        0,
    )


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--method", "dual"], "method", "dual"),
        (["--rank", "10"], "rank", 10),
        (["--rank", "10, 10,3"], "rank", (10, 10, 3)),
        (["--C", "2.5"], "C", 2.5),
        (["--C", "auto"], "C", "auto"),
        (["--rank", "auto"], "rank", "auto"),
        (["--lam", "auto"], "lam", "auto"),
        (["--lam", "0.5"], "lam", 0.5),
        (["--lam", "1,1,2"], "lam", (1.0, 1.0, 2.0)),
        (["--max-iter", "7", "--method", "dual"], "max_iter", 7),
        (["--inner", "alternating"], "inner", "alternating"),
        (["--optimizer", "trust-region"], "optimizer", "trust-region"),
        (["--start", "random", "--method", "dual"], "start", "random"),
        (["--nonnegative-on", "observed"], "nonnegative_on", "observed"),
        (["--gradient-tolerance", "1e-6", "--method", "dual"], "gradient_tolerance", 1e-6),
        (["--gap-tolerance", "1e-3"], "gap_tolerance", 1e-3),
        (["--time-limit", "2.5"], "time_limit", 2.5),
        (["--set", "tau=100", "--method", "ffw"], "tau", 100),
        (["--set", "max-atoms = 7", "--method", "ffw"], "max_atoms", 7),
        (["--set", "tolerance=1e-3", "--method", "tnn"], "tolerance", 1e-3),
        (["--set", "rank_max=20,20,3", "--method", "tmac"], "rank_max", (20, 20, 3)),
        (["--set", "modes=1,", "--method", "ffw"], "modes", (1,)),
        (["--set", "standardize=true", "--method", "ffw"], "standardize", True),
        (["--set", "tau=none", "--method", "ffw"], "tau", None),
        (["--set", "weights=dynamic", "--set", "ranks=fixed", "--method", "tmac"], "ranks", "fixed"),
        (["--seed", "4"], "seed", 4),
        (["--no-keep-observed"], "keep_observed", False),
        (["--clip-negative"], "negatives", "clip"),
    ],
)
def test_every_option_reaches_the_library(
    tensorfill: Run,
    solver: MeanFill,
    holes: Path,
    tmp_path: Path,
    arguments: list[str],
    name: str,
    value: object,
) -> None:
    assert tensorfill("complete", holes, "-o", tmp_path / "done.npy", *arguments).code == 0
    assert solver.calls[0][name] == value
    assert type(solver.calls[0][name]) is type(value)


def test_nan_marks_what_is_missing(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    np.save(tmp_path / "holes.npy", np.array([[1.0, np.nan], [3.0, 2.0]]))
    assert tensorfill("complete", tmp_path / "holes.npy", "-o", tmp_path / "done.npy").code == 0
    assert np.load(tmp_path / "done.npy").tolist() == [[1.0, 2.0], [3.0, 2.0]]


def test_transparent_pixels_are_filled_and_opaque(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    pixels = np.full((2, 2, 4), 255, np.uint8)
    pixels[0, 0] = 0
    Image.fromarray(pixels).save(tmp_path / "holes.png")
    assert tensorfill("complete", tmp_path / "holes.png", "-o", tmp_path / "done.png").code == 0
    assert np.asarray(Image.open(tmp_path / "done.png")).tolist() == np.full((2, 2, 4), 255).tolist()


def test_a_mask_is_combined_with_what_the_file_says(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    data = np.array([[1.0, np.nan, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    own = np.array([[True, False, False, True], [True] * 4])
    np.savez(tmp_path / "holes.npz", data=data, observed=own)
    np.save(tmp_path / "mask.npy", np.array([[True, True, True, False], [True] * 4]))
    tensorfill("complete", tmp_path / "holes.npz", "-o", tmp_path / "done.npy", "--observed", tmp_path / "mask.npy")
    assert solver.calls[0]["observed"].tolist() == [[True, False, False, False], [True] * 4]


def test_a_gray_mask_applies_to_every_channel(tensorfill: Run, solver: MeanFill, tmp_path: Path) -> None:
    Image.fromarray(np.full((2, 2, 3), 9, np.uint8)).save(tmp_path / "photo.png")
    Image.fromarray(np.array([[0, 255], [255, 255]], np.uint8)).save(tmp_path / "mask.png")
    tensorfill("complete", tmp_path / "photo.png", "-o", tmp_path / "done.png", "--observed", tmp_path / "mask.png")
    assert solver.calls[0]["observed"].tolist() == [[[False] * 3, [True] * 3], [[True] * 3] * 2]


def test_a_warning_is_one_plain_line_and_shown_once(
    tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path
) -> None:
    solver.warning = "Nothing is observed in 1 of the 6 slices."
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy")
    assert outcome.err == "Note: Nothing is observed in 1 of the 6 slices.\n"
    assert solver.warning not in outcome.out
    assert "Note: A note of the method." in outcome.out


def test_nothing_moves_where_no_terminal_is(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    outcome = tensorfill("complete", holes, "-o", tmp_path / "done.npy")
    assert outcome.err == ""
    assert "\x1b" not in outcome.out


def test_force_replaces_output_and_report(tensorfill: Run, solver: MeanFill, holes: Path, tmp_path: Path) -> None:
    for name in ("done.npy", "run.json"):
        (tmp_path / name).write_text("old")
    both = ("-o", tmp_path / "done.npy", "--report", tmp_path / "run.json", "--force")
    assert tensorfill("complete", holes, *both).code == 0
    assert np.load(tmp_path / "done.npy").shape == (6, 5, 3)
    assert json.loads((tmp_path / "run.json").read_text())["method"] == "auto"
