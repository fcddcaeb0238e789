"""What cannot be done, by every verb: one sentence, exit code 2, nothing written, no time lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stand_in import MeanFill, Run

from tensorfill.errors import InvalidSetting

PLAN = """
[[experiment]]
name = "table"
datasets = ["baboon"]
rates = [0.5]
seeds = 2
methods = ["zero-fill"]
"""


@pytest.fixture(autouse=True)
def desk(solver: MeanFill, holes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with all kinds of files; whatever is refused here is refused before the solver starts."""
    solver.raises = AssertionError("the solver was started")
    monkeypatch.chdir(tmp_path)
    Path("clip.mpeg").touch()
    for name in ("cut.npy", "cut.npz", "cut.png"):
        Path(name).write_bytes(b"\x93NUMPY\x01\x00")
    for name in ("empty", "folder.npy", "parts"):
        Path(name).mkdir()
    for name in ("old.npy", "old.npz", "old.json", "parts/component-2.png"):
        Path(name).write_text("precious")
    Path("empty.jsonl").touch()
    Path("plan.toml").write_text(PLAN)
    np.save("unknown.npy", np.full((6, 5, 3), np.nan))
    np.save("no-entries.npy", np.full((0, 3), np.nan))
    np.save("objects.npy", np.array([[None, 1]], dtype=object), allow_pickle=True)
    np.savez("two.npz", picture=np.ones((2, 2)), other=np.ones((2, 2)))
    np.save("cube.npy", np.ones((3, 4, 5), np.uint8))
    np.save("above.npy", np.array([[1.0, np.nan], [1.5, 0.0]]))
    np.save("negative.npy", np.array([[-1.0, np.nan], [0.5, 0.0]]))
    np.save("narrow.npy", np.ones((5, 6), bool))
    np.save("ones.npy", np.ones((6, 5, 3)))
    Image.fromarray(np.ones((4, 4), np.uint8)).save("small.png")


HOLES = "complete holes.npz -o done.npy"
NO_NUMBERS = "takes whole numbers, one for all modes or one per mode, like 10,10,3, or auto. Got"
UNSURE = "does not tell how sure it is of an entry, which --uncertainty asks for; take --method "
CASES = {
    # what is read
    "complete lost.npy -o done.npy": "There is no file",
    "complete empty -o done.npy": "nothing in",
    "complete clip.mpeg -o done.npy": "'.mpeg' is not known. The known ones are: .npy, .npz, .png, .jpg, ",
    "complete cut.npy -o done.npy": "damaged, cut short",
    "complete cut.npz -o done.npy": "damaged, cut short",
    "complete cut.png -o done.npy": "damaged, cut short",
    "complete objects.npy -o done.npy": "holds Python objects",
    "complete two.npz -o done.npy": "unless FILE::NAME says which is meant. The arrays in it are: 'picture', 'other'.",
    f"{HOLES} --observed narrow.npy": "must have the shape of the data, (6, 5, 3), or that of its first modes, or 1 "
    "instead of a size. Got (5, 6) instead.",
    f"{HOLES} --observed small.png": "must have the shape of the data",
    f"{HOLES} --mask ones.npy": "could mean either: add --mask-means missing",
    "complete negative.npy -o done.png": "use --lower none for data without such a bound, or --lower -1.0, the "
    "smallest of them. To set them to zero use --clip-negative.",
    # what is written
    "complete holes.npz -o done.txt": "The known ones are",
    "complete holes.npz -o lost/done.npy": "There is no folder",
    "complete holes.npz -o folder.npy --force": "is a folder",
    "complete holes.npz -o old.npy": "old.npy is already there; add --force to replace it.",
    "complete holes.npz -o done.png --raw": "--raw writes floating-point values",
    "complete holes.npz -o done.jpg --raw": "--raw writes floating-point values",
    "complete cube.npy -o done.png": "Got uint8 of shape (3, 4, 5) instead; write .npy or .npz.",
    "complete above.npy -o done.png": "must lie between 0 and 1",
    f"{HOLES} --report old.json": "old.json is already there; add --force to replace it.",
    f"{HOLES} --report lost/r.json": "There is no folder",
    f"{HOLES} --report done.npy": "cannot both be",
    f"{HOLES} --preview p.npy": "The preview is a picture",
    f"{HOLES} --preview old.npy": "The preview is a picture",
    "complete holes.npz -o done.png --preview done.png": "cannot both be",
    f"{HOLES} --uncertainty u.txt": "The known ones are",
    f"{HOLES} --uncertainty lost/u.npy": "There is no folder",
    f"{HOLES} --uncertainty old.npy": "old.npy is already there; add --force to replace it.",
    f"{HOLES} --uncertainty done.npy": "The output and the uncertainty cannot both be",
    f"{HOLES} --report r.npy --uncertainty r.npy": "The report and the uncertainty cannot both be",
    "complete cube.npy -o done.npy --uncertainty u.png": "of shape (3, 4, 5) instead; write .npy or .npz.",
    # how it is solved
    f"{HOLES} --uncertainty u.npy --method tnn": f"tnn {UNSURE}",
    f"{HOLES} --uncertainty u.npy --method nonneg-dual": f"nonneg-dual {UNSURE}",
    f"{HOLES} --uncertainty u.npy --rank 2": (
        f"nonneg-dual {UNSURE}auto, patches, spectral, scaled-spectral or bayes-factors."
    ),
    f"{HOLES} --method magic": "There is no method 'magic'",
    **{f"{HOLES} --rank {text}": f"--rank {NO_NUMBERS} {text!r}" for text in ("ten", "10,,3", "10,10.5", "10;10")},
    f"{HOLES} --lam 1,x": "--lam takes numbers, one for all modes or one per mode, like 1,1,1, or auto. Got '1,x'",
    f"{HOLES} --C much": "--C takes a number, like 10, or auto. Got 'much' instead.",
    **{
        f"{HOLES} --set {text}": f"--set takes NAME=VALUE, like tau=100. Got {text!r} instead."
        for text in ("tau", "=3", "tau=", "3=tau")
    },
    f"{HOLES} --set C=1 --set C=2": "The setting 'C' is given twice; give it once.",
    f"{HOLES} --C 1 --set C=2": "The setting 'C' is given twice; give it once.",
    f"{HOLES} --seed -3": "--seed must be 0 or more. Got -3 instead.",
    # other verbs
    "info ones.npy --method magic": "There is no method 'magic'",
    "hide lost.npy -o h.npz": "There is no file",
    "hide ones.npy -o old.npz": "already there; add --force",
    **{
        f"hide ones.npy -o h.npz --keep {keep}": "--keep must be above 0 and at most 1"
        for keep in ("0", "1.5", "-0.1", "nan")
    },
    "hide ones.npy -o h.npz --seed -1": "--seed must be 0 or more",
    "hide cube.npy -o h.npy": "write an .npz, which holds the mask, or add --write-mask FILE",
    "hide ones.npy -o h.npz --pattern holes": "There is no pattern 'holes'. The patterns are: uniform, pixels,",
    "hide narrow.npy -o h.npz --pattern frames": "needs frames or bands",
    "components above.npy -o parts": "already there; add --force",
    "score lost.npy ones.npy": "There is no file",
    "score ones.npy lost.npy": "There is no file",
    "score unknown.npy ones.npy": "nothing to compare with",
    "score no-entries.npy ones.npy": "nothing to compare with",
    "score ones.npy cube.npy": "must have the shape of the truth, (6, 5, 3). Got (3, 4, 5) instead.",
    "score ones.npy ones.npy --observed narrow.npy": "must have the shape of the data, (6, 5, 3)",
    "score ones.npy unknown.npy": "NaN or infinite",
    "demo -o old.npy": "is a file; give a folder",
    "demo -o new --keep 0": "--keep must be",
    "report nowhere -o out": "There are no rows at",
    "report empty -o out": "There are no rows at",
    "report empty.jsonl -o out": "There is no readable row in",
    "bench": "Give a plan, like: tensorfill bench quick.",
    "bench quik": "There is no plan 'quik': neither a file, nor one of those that ship: paper, quick, rivals.",
    "bench plan.toml --methods dul": "The plan plan has no method 'dul'. It has: zero-fill; there are also:",
    "bench plan.toml --datasets hall": "The plan plan has no dataset 'hall'. It has: baboon.",
    "bench plan.toml --rates few": "--rates takes shares of entries to keep, like 0.05,0.1. Got 'few' instead.",
    "bench plan.toml --rates 10": "--rates is wrong: 'rates' must be a list of shares",
    "bench plan.toml --patterns blox": "--patterns cannot be run: There is no pattern 'blox'.",
    "bench plan.toml --jobs 0": "--jobs must be 1 or more. Got 0 instead.",
    "bench plan.toml --again never": "--again must be 'failed' or 'all'. Got 'never' instead.",
    "bench plan.toml --with none.py": "none.py cannot be read: No such file or directory.",
    "bench plan.toml --seeds 0": "--seeds must be 1 or more. Got 0 instead.",
}


@pytest.mark.parametrize("arguments", CASES)
def test_it_is_refused_in_one_sentence_before_the_work(refused: Run, arguments: str) -> None:
    assert CASES[arguments] in refused(*arguments.split()).err


def test_what_the_library_refuses(refused: Run, solver: MeanFill) -> None:
    solver.raises = InvalidSetting("'rank' must be at least 1. Got 0 instead.")
    assert refused(*HOLES.split()).err == "Error: --rank must be at least 1. Got 0 instead.\n"


def test_too_little_memory(refused: Run, solver: MeanFill) -> None:
    solver.raises = MemoryError()
    assert "not enough memory" in refused(*HOLES.split()).err


def test_an_option_that_does_not_exist_is_a_usage_error(tensorfill: Run) -> None:
    outcome = tensorfill(*HOLES.split(), "--ranks", "3")
    assert outcome.code == 2
    assert "--ranks" in outcome.err
