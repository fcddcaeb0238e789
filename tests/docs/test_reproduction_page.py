"""docs/reference/reproduction.md is what the kept rows make, nothing more."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from tensorfill.rows import read_rows

ROOT = Path(__file__).parents[2]


def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reproduction_program", ROOT / "benchmarks" / "reproduction.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_from_the_rows_that_are_kept() -> None:
    made = program()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run python benchmarks/reproduction.py"


def test_changed_rows_change_the_page(tmp_path: Path) -> None:
    made = program()
    text = made.KEPT.read_text(encoding="utf-8")
    one = next(line for line in text.splitlines() if '"baboon"' in line and '"label": "ncpc"' in line)
    made.KEPT = tmp_path / "rows.jsonl"
    made.KEPT.write_text(text.replace(one + "\n", ""), encoding="utf-8")
    assert made.page() != made.PAGE.read_text(encoding="utf-8")


def test_the_rows_that_are_kept_have_what_the_figures_in_numbers_need_and_nothing_of_the_data() -> None:
    rows = read_rows(program().KEPT).rows
    assert not any(row.pictures for row in rows)
    labels = {row.label for row in rows if row.curve}
    assert labels == {"nonneg-dual, as published", "nonneg-dual, ours"}
    told = {row.data.name for row in rows if row.method == "nonneg-dual" and row.components}
    assert {"hall", "highway"} <= told, "Figure 2"
    assert {row.data.name for row in rows if row.experiment == "ranks"} == {"baboon", "splash"}


def test_new_rows_join_the_kept_ones_without_pictures_and_long_curves(tmp_path: Path) -> None:
    made = program()
    rows = read_rows(made.KEPT).rows
    made.KEPT = tmp_path / "rows.jsonl"
    first = next(row for row in rows if row.label == "nonneg-dual, ours" and row.status == "ok")
    other = next(row for row in rows if row.label == "ncpc" and row.status == "ok")
    curve = ((0, 0.123456, 0.123456789), (1, 1.0, 0.1))
    made.keep([replace(first, curve=curve, pictures={"model": "x.png"}), replace(other, curve=curve)])
    kept = {row.label: row for row in read_rows(made.KEPT).rows}
    assert kept["ncpc"].curve == ()
    assert kept[first.label].curve == ((0, 0.12, 0.123457), (1, 1.0, 0.1))
    assert kept[first.label].pictures == {}
