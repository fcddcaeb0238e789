"""Tables in the shell: a matrix comes back as it was, `--table` answers what is asked, and all verbs read alike."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from stand_in import Run

WIDE = "station;Jan;Feb;Mar;Apr\r\n" + "".join(
    f"s{row};" + ";".join("" if (row * 4 + place) % 7 == 3 else f"{row + 1},{place}0" for place in range(4)) + "\r\n"
    for row in range(8)
)
YEARS = "country,2001,2002,2003\nFrance,1,2,3\nSpain,2,,6\nItaly,3,6,9\n"
BOTH = "x,c1,c2\nr1,1,2\nr2,3,4\nr3,5,\n"


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    (tmp_path / "wide.csv").write_bytes(WIDE.encode())
    return tmp_path / "wide.csv"


def test_a_matrix_comes_back_with_its_holes_filled_and_nothing_else_changed(tensorfill: Run, wide: Path) -> None:
    output = wide.with_name("filled.csv")
    tensorfill("complete", wide, "-o", output, "--method", "linear")
    before, after = (path.read_bytes().decode().split("\r\n") for path in (wide, output))
    assert len(before) == len(after)
    for line, filled in zip(before, after, strict=True):
        for field, found in zip(line.split(";"), filled.split(";"), strict=True):
            assert found == field or (field == "" and found.replace(",", "", 1).isdecimal())
    assert ";;" not in "".join(after)


def test_hiding_leaves_a_matrix(tensorfill: Run, wide: Path) -> None:
    output = wide.with_name("holes.csv")
    tensorfill("hide", wide, "-o", output, "--keep", "0.5")
    lines = output.read_text().splitlines()
    assert lines[0] == "station;Jan;Feb;Mar;Apr"
    assert [line.partition(";")[0] for line in lines[1:]] == [f"s{row}" for row in range(8)]
    assert output.read_text().count(";;") > WIDE.count(";;")


@pytest.mark.parametrize(("text", "words"), [(YEARS, "wide,header"), (BOTH, "wide"), (BOTH, "long")])
def test_what_is_asked_by_one_verb_is_asked_by_all_and_the_answer_is_the_same(
    tensorfill: Run, refused: Run, tmp_path: Path, text: str, words: str
) -> None:
    path, output = tmp_path / "a.csv", tmp_path / "b.npy"
    path.write_text(text)
    asked = {refused("info", path).err, refused("complete", path, "-o", output).err}
    asked |= {refused("hide", path, "-o", tmp_path / "c.npz").err, refused("score", path, path).err}
    asked.add(refused("components", path, "-o", tmp_path / "d.npz").err)
    assert len(asked) == 1
    assert f"--table {words}" in asked.pop()
    assert not output.exists()
    told = json.loads(tensorfill("info", path, "--table", words, "--json").out)
    tensorfill("complete", path, "-o", output, "--table", words, "--method", "mean-fill")
    assert list(np.load(output).shape) == told["shape"]


def test_a_word_that_says_nothing_about_a_table_is_refused(refused: Run, wide: Path) -> None:
    assert "--table must be made of these words" in refused("info", wide, "--table", "tall").err
