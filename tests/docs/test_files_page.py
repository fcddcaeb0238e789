"""The pages on files are true: the commands run, the table has every format, the pictures are there."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import nibabel
import numpy as np
import pytest
from typer.testing import CliRunner

from tensorfill import formats
from tensorfill.cli import app
from tensorfill.formats.listed import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
RECIPES = (ROOT / "docs" / "how-to" / "files.md").read_text(encoding="utf-8")
RUNNABLE = re.compile(r"^<!-- runnable -->\n\n```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]+\]\(\.\./pictures/([^)]+)\)")
LARGEST_PICTURE = 400_000


def runnable(page: str) -> list[list[str]]:
    """The commands that are marked so, split into words."""
    lines = "".join(RUNNABLE.findall(page)).replace("\\\n", " ").splitlines()
    return [shlex.split(line.removeprefix("$ ")) for line in lines]


def format_rows(page: str) -> dict[str, tuple[str, ...]]:
    """The extensions that the table of formats has for every name."""
    table = page.split("## Which formats\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): tuple(re.findall(r"`(\.[\w.]+)`", row[1])) for row in rows}


def untold(page: str) -> list[str]:
    """Formats that the table does not have, or has with other extensions."""
    rows = format_rows(page)
    return [form.name for form in FORMATS if rows.get(form.name) != form.extensions]


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the page, small enough to be completed at once."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    files = importlib.import_module("real_files")
    rng = np.random.default_rng(0)
    ramp = np.add.outer(np.arange(24.0), np.arange(32.0)) * 4
    photo = np.stack([ramp, 200 - ramp / 2, ramp / 3], axis=2).astype(np.uint8)
    scan = tmp_path / "scan.nii.gz"
    nibabel.Nifti1Image(rng.integers(1, 900, (8, 6, 16, 1)).astype(np.int16), np.diag([2.0, 2, 3, 1])).to_filename(scan)
    clip = np.clip(ramp[..., None] + np.arange(16), 0, 255).astype(np.uint8)
    material = files.Material(
        heights=(ramp * 40 + 300).astype(np.uint16),
        photo=photo,
        gray_clip=clip,
        colour_clip=np.repeat(clip[:16, :16, :14, None], 3, axis=3) // np.array([1, 2, 3], dtype=np.uint8),
        cube=np.multiply.outer(ramp[:12, :10] + 9, np.arange(1, 14)).astype(np.uint16),
        wavelengths=tuple(400.0 + 10 * band for band in range(13)),
        scan=scan,
        counts=np.multiply.outer(np.arange(3, 9), np.arange(5, 10)),
        labels=(tuple("abcdef"), ("red", "green", "blue", "white", "black")),
        columns=("letter", "colour", "count"),
    )
    for make in files.cases(material, tmp_path):
        make()
    scribbled = photo.copy()
    scribbled[8:16, 8:24] = 255, 0, 0
    formats.write(tmp_path / "scribbled.jpg", formats.Contents(scribbled))
    formats.write(tmp_path / "clean.mkv", formats.Contents(clip, metadata=formats.Metadata(kind="video")))
    for left in (*tmp_path.glob("holes.*"), tmp_path / "scratches.png"):
        left.unlink()
    return tmp_path


@pytest.mark.slow
def test_the_commands_of_the_page_run(damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(damaged)
    commands = runnable(RECIPES)
    assert len(commands) >= 15
    for command in commands:
        assert command[0] == "tensorfill"
        quick = ["--method", "linear"] if command[1] == "complete" else []  # how well they do is measured elsewhere
        result = CliRunner().invoke(app, [*command[1:], *quick])
        assert result.exit_code == 0, (command, result.output, result.exception)
    assert formats.read(damaged / "dem-filled.tif").dtype == np.uint16


def test_every_block_of_commands_is_marked_so_that_it_runs() -> None:
    assert len(RUNNABLE.findall(RECIPES)) == RECIPES.count("```console")
    assert "```console" not in PAGE


def test_every_format_is_in_the_table_with_all_its_extensions() -> None:
    assert untold(PAGE) == []
    assert set(format_rows(PAGE)) == {form.name for form in FORMATS}


def test_every_picture_is_there_and_small_and_every_one_made_for_the_page_is_shown() -> None:
    shown = PICTURE.findall(RECIPES)
    made = {path.name: path.stat().st_size for path in (ROOT / "docs" / "pictures").glob("files-*.png")}
    assert sorted(shown) == sorted(made)
    assert max(made.values()) < LARGEST_PICTURE


def test_what_the_page_installs_is_an_extra() -> None:
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.optional-dependencies]", 1)[1]
    table = PAGE.split("## Which formats\n", 1)[1].split("\n## ", 1)[0]
    needs = [line.split("|")[-2] for line in table.splitlines() if line.startswith("| `")]
    for extra in {name for cell in needs for name in re.findall(r"`(\w+)`", cell)}:
        assert f"\n{extra} = [" in extras


# The checks can fail


def test_a_format_without_one_of_its_extensions_is_caught() -> None:
    assert untold(PAGE.replace(" `.jpeg`", "")) == ["jpeg"]
    assert untold(PAGE.replace("| `nifti` |", "| `nifty` |")) == ["nifti"]


def test_only_marked_commands_are_run() -> None:
    marked = "<!-- runnable -->\n\n```console\n$ tensorfill info a.png \\\n    --gray\n```\n"
    page = f"{marked}```console\n$ tensorfill no\n```\n"
    assert runnable(page) == [["tensorfill", "info", "a.png", "--gray"]]
