"""Rows: one JSON line each, strict, and read again as they were."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorfill.errors import InvalidInput
from tensorfill.rows import DataCard, Row, read_rows

CARD = DataCard("hall", "Hall", "video", (144, 176, 150), "somewhere", "unclear", "Ask.", True, sha256="ab" * 32)


def a_row(**changes: Any) -> Row:
    told: dict[str, Any] = {
        "data": CARD,
        "experiment": "table",
        "method": "dual",
        "label": "dual, λ=1",
        "settings": {"rank": [10, 10, 5], "C": 1000},
        "seed": 0,
        "rate": 0.1,
        "pattern": "uniform",
        "status": "ok",
        "rmse": 0.037,
        "curve": ((0, 0.5, 0.2), (1, 1.5, 0.1)),
        "components": ((0.25, 0.5), (0.75, -0.5)),
        "pictures": {"model": "pictures/x.png"},
        "versions": {"numpy": "2.0"},
    }
    return Row(**{**told, **changes})


def test_a_row_is_read_as_it_was_written() -> None:
    assert Row.from_json(a_row().as_json()) == a_row()
    assert "\n" not in a_row(error="two\nlines").as_json()


def test_the_line_is_strict_json() -> None:
    row = a_row(psnr=math.inf, rmse=math.nan, chosen={"rank": (np.int64(3), 4), "C": np.float64(2), "x": -math.inf})
    told = json.loads(row.as_json(), parse_constant=lambda word: pytest.fail(word))
    assert (told["psnr"], told["rmse"], told["chosen"]) == (None, None, {"rank": [3, 4], "C": 2.0, "x": None})


def test_an_error_that_was_not_finite_is_not_a_number_again() -> None:
    row = Row.from_json(a_row(curve=((0, 0.5, math.inf),)).as_json())
    assert math.isnan(row.curve[0][2])


def test_the_id_is_that_of_the_question_not_of_the_answer() -> None:
    answers = {"status": "failed", "rmse": 1.0, "curve": (), "pictures": {}, "versions": {}, "chosen": {"rank": 3}}
    assert a_row(**answers).id == a_row().id
    assert a_row(settings={"C": 1000, "rank": [10, 10, 5]}).id == a_row().id, "whatever the order of the settings"
    asked = {"method": "x", "label": "x", "settings": {}, "seed": 1, "rate": 0.2, "time_limit": 9.0, "pattern": "x"}
    asked |= {"data": replace(CARD, name="x"), "experiment": "x"}
    for name, value in asked.items():
        assert a_row(**{name: value}).id != a_row().id


def test_keys_of_newer_versions_are_left_out() -> None:
    told = json.loads(a_row().as_json())
    told["colour"] = told["data"]["weight"] = 1
    assert Row.from_json(json.dumps(told)) == a_row()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"data": {"name": "ha', r"not a whole line of JSON \("),
        ("[1, 2]", r"^not a row: a row is a JSON object"),
        ('{"data": {"name": "hall"}}', r"^not a row of this version \("),
        (a_row().as_json().replace('"ok"', '"fine"'), r"^its status 'fine' is none of ok, refused, failed,"),
    ],
)
def test_what_is_not_a_row_is_told(line: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Row.from_json(line)


def test_a_folder_of_rows_names_what_it_leaves_out(tmp_path: Path) -> None:
    lines = [a_row().as_json(), "garbage", "", a_row(seed=1).as_json(), a_row(rmse=0.5).as_json(), '{"half']
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = read_rows(tmp_path)
    assert found.folder == tmp_path
    assert found.rows == (a_row(rmse=0.5), a_row(seed=1)), "the later of two counts"
    assert [problem[:6] for problem in found.problems] == ["Line 2", "Line 5", "Line 6"]
    assert read_rows(tmp_path / "rows.jsonl") == found


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^There are no rows at .*: expected a rows\.jsonl as `tensorfill bench`"):
        read_rows(tmp_path)
