"""Tutorials and guides: their commands run after the Python above them, and their figures are of the gallery."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tensorfill.cli import app

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [*sorted((DOCS / "tutorials").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]
WITH_COMMANDS = [page for page in PAGES if "```console\n" in page.read_text(encoding="utf-8") and page.stem != "files"]
"""The commands of how-to/files.md need files of every kind, which test_files_page.py makes."""
GALLERY = re.compile(r"auto_gallery/(?:images/sphx_glr_)?(plot_[a-z_]+?)(?:_\d{3}\.png)?[>\s]")
REQUIRED = {
    "tutorials": "first-picture first-clip counts cube notebook",
    "how-to": "scribbles-and-text lost-frames dead-bands-and-stripes missing-slices ratings large cluster page "
    "scikit-learn xarray add-a-method add-a-dataset",
    "explanation": "dual spectral certificate uncertainty how-auto-chooses where-it-fails",
}


def name_of(page: Path) -> str:
    return page.stem


def run(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "page", "exec", dont_inherit=True), names)


def words_of(block: str) -> list[list[str]]:
    """The commands of a block, split into words."""
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line.removeprefix("$ ")) for line in lines if line.startswith("$ ")]


def unknown_scripts(source: str) -> list[str]:
    """The scripts of the gallery that a page names although they are not there."""
    return [name for name in GALLERY.findall(source) if not (DOCS / "gallery" / f"{name}.py").exists()]


@pytest.mark.parametrize("folder", REQUIRED)
def test_every_page_that_a_reader_expects_is_there_and_in_the_contents(folder: str) -> None:
    contents = (DOCS / folder / "index.md").read_text(encoding="utf-8").split()
    for page in REQUIRED[folder].split():
        assert [*(DOCS / folder).glob(f"{page}.*")], page
        assert page in contents


def test_every_page_of_a_kind_is_in_its_contents() -> None:
    for folder in REQUIRED:
        contents = (DOCS / folder / "index.md").read_text(encoding="utf-8").split()
        assert {page.stem for page in (DOCS / folder).glob("*.md")} - {"index"} <= set(contents)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_the_commands_of_a_guide_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "code_of_a_page"}
    ran = 0
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            run(block, names)
            continue
        for words in words_of(block):
            result = CliRunner().invoke(app, words[1:])
            assert (words[0], result.exit_code) == ("tensorfill", 0), (words, result.output, result.exception)
            ran += 1
    assert ran


@pytest.mark.parametrize("page", [*PAGES, *sorted((DOCS / "explanation").glob("*.md"))], ids=name_of)
def test_figures_and_links_of_a_page_are_of_scripts_that_are_in_the_gallery(page: Path) -> None:
    assert unknown_scripts(page.read_text(encoding="utf-8")) == []


def test_a_script_that_is_not_there_is_caught() -> None:
    assert unknown_scripts("{doc}`this <../auto_gallery/plot_nothing>`") == ["plot_nothing"]
    assert unknown_scripts("../auto_gallery/images/sphx_glr_plot_nowhere_001.png\n") == ["plot_nowhere"]


def test_the_notebook_has_no_output_and_its_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    cells = json.loads((DOCS / "tutorials" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    names: dict[str, Any] = {"__name__": "code_of_a_page"}
    for cell in code:
        run("".join(cell["source"]), names)
    assert names["done"].tensor.shape == names["truth"].shape
    matplotlib.pyplot.close("all")
