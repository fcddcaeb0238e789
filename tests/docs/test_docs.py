"""The documentation is true: its code runs, its commands run, its links lead somewhere, its tables match the code."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import sys
from dataclasses import MISSING, fields
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import tensorfill
from tensorfill import library
from tensorfill.cli import app
from tensorfill.dual.solve import OUTER
from tensorfill.methods import registry
from tensorfill.methods.registry import available_methods
from tensorfill.numerics.threads import PIECES, SMALL_SUPPORT

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tensorfill"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
MADE_UP = {"methods/your_method.py"}
"""Files that a page names although they are not there."""


def text(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str | Path, *languages: str) -> list[str]:
    """The fenced blocks of a page in one of these languages."""
    return [code for language, code in BLOCK.findall(text(page)) if language in languages]


def run_python(page: str | Path) -> dict[str, Any]:
    """Run the Python of a page from top to bottom, as a reader would; returns the names it defined."""
    names: dict[str, Any] = {"__name__": "code_of_a_page"}
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec", dont_inherit=True), names)
    return names


def commands(page: str | Path) -> list[list[str]]:
    """The `tensorfill` commands in a page's shell blocks, split into words."""
    lines = "".join(blocks(page, "sh", "console")).replace("\\\n", " ").splitlines()
    words = [shlex.split(line.removeprefix("$ "), comments=True) for line in lines]
    return [command for command in words if command[:1] == ["tensorfill"]]


def section(page: str | Path, heading: str) -> str:
    """What is between a second-level heading and the next."""
    after = text(page).split(f"\n## {heading}\n", 1)[1]
    return after.split("\n## ", 1)[0]


def table_rows(source: str) -> list[list[str]]:
    """The cells of every table row; `\\|` is no border."""
    rows = [line for line in source.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def broken_links(page: Path, source: str) -> list[str]:
    """The links of a page, on this machine, that lead nowhere."""
    targets = [target for target in LINK.findall(source) if not re.match(r"https?://|mailto:", target)]
    return [target for target in targets if not (page.parent / target.split("#")[0]).exists()]


def missing_files(source: str) -> list[str]:
    """The Python files a text names in backquotes that are nowhere in the repository."""
    named = set(re.findall(r"`([\w/]+\.py)`", source))
    tops = ("src", "tests", "examples", "benchmarks", "docs")
    there = [f"/{path.relative_to(ROOT).as_posix()}" for top in tops for path in (ROOT / top).rglob("*.py")]
    return sorted(
        name
        for name in named
        if not any(path.endswith(f"/{name}") for path in there) and not any(name.endswith(made) for made in MADE_UP)
    )


def undocumented_settings(source: str, method: Any) -> list[str]:
    """The settings of a method whose table row, `name` and `default`, is not in a text."""
    rows = {(cells[0], cells[1]) for cells in table_rows(source)}
    for field in fields(method):
        assert field.default is not MISSING, f"{field.name} has no default"
    return [field.name for field in fields(method) if (f"`{field.name}`", f"`{field.default!r}`") not in rows]


@cache
def words_in(place: str) -> frozenset[str]:
    """Every name in a file of the package, or in all files of a room."""
    path = SOURCE / place
    files = path.rglob("*.py") if path.is_dir() else [path]
    return frozenset(word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8")))


def unknown_names(rows: list[list[str]]) -> list[tuple[str, str]]:
    """(symbol, name) for every name in a notation row that its files do not have."""
    found = []
    for symbol, _, code, places, *_ in rows:
        there = frozenset().union(*(words_in(place) for place in re.findall(r"`([\w/.]+)`", places)))
        names = {word for quoted in re.findall(r"`([^`]+)`", code) for word in re.findall(r"[A-Za-z_]\w+", quoted)}
        found += [(symbol, name) for name in sorted(names - there - {"len"})]
    return found


def notation_rows() -> list[list[str]]:
    return [row for row in table_rows(text("docs/reference/notation.md")) if row[0] not in ("symbol", "---")]


def load(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A file of the tests as a module."""
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


# Code and commands run


README = ROOT / "README.md"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != README and blocks(page, "python")], ids=lambda page: page.name
)
def test_the_python_of_every_other_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    run_python(page)


def test_the_python_of_the_readme_is_short_runs_and_does_what_it_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # it writes files
    assert len([line for line in blocks("README.md", "python")[0].splitlines() if line]) <= 10
    done = run_python(README)["done"]
    assert capsys.readouterr().out.startswith("(30, 20, 10) True False\n")
    assert done.tensor.dtype == np.float64
    assert done.uncertainty.shape == done.tensor.shape


@pytest.mark.parametrize("page", ["README.md", "docs/reference/cli.md"])
def test_the_commands_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    picture = np.random.default_rng(0).integers(0, 256, (24, 20, 3), dtype=np.uint8)
    Image.fromarray(picture).save("photo.png")
    given = commands(page)
    assert len(given) >= 3
    for command in given:
        result = CliRunner().invoke(app, command[1:])
        assert result.exit_code == 0, (command, result.output, result.exception)


def test_other_shell_lines_of_the_readme_are_no_commands_of_ours() -> None:
    assert all("tensorfill" not in block or "pip" in block or "make" in block for block in blocks("README.md", "text"))


# What the pages say is so


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    assert missing_files(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", available_methods())
def test_every_method_has_a_page_with_all_its_settings(name: str) -> None:
    page = text(f"docs/reference/methods/{name}.md")
    assert page.startswith(f"# `{name}`\n")
    assert undocumented_settings(page, available_methods()[name]) == []
    assert "Good when" in page or "Good as" in page
    assert "Not so good" in page


@pytest.mark.parametrize("name", available_methods())
def test_the_table_of_methods_tells_what_is_so(name: str) -> None:
    rows = {cells[0]: cells[1:] for cells in table_rows(text("docs/reference/methods.md"))}
    what, nonnegative, keeps, reference = rows[f"[`{name}`](methods/{name}.md)"]
    assert what == available_methods()[name].summary
    assert nonnegative == ("yes" if available_methods()[name].nonnegative else "no")
    assert reference == available_methods()[name].reference
    rng = np.random.default_rng(0)
    data, known = rng.random((8, 7, 6)), rng.random((8, 7, 6)) < 0.5
    names = registry.setting_names(available_methods()[name])
    small = {setting: value for setting, value in {"max_iter": 5, "rank": 2}.items() if setting in names}
    model = library.complete(data, known, method=name, **small).model
    assert keeps == ("yes" if np.allclose(model[known], data[known], rtol=1e-12) else "no")


@pytest.mark.parametrize("page", ["CHANGELOG.md", "docs/reference/methods.md"])
def test_pages_for_users_mention_every_method(page: str) -> None:
    assert [name for name in available_methods() if f"`{name}`" not in text(page)] == []


def test_no_page_is_about_a_method_that_is_not_there() -> None:
    assert {page.stem for page in (ROOT / "docs" / "reference" / "methods").glob("*.md")} == set(available_methods())


def test_every_name_in_the_notation_is_in_the_file_it_is_said_to_be_in() -> None:
    assert len(notation_rows()) > 30
    assert unknown_names(notation_rows()) == []


def test_the_layers_are_those_that_are_checked() -> None:
    checked = ast.parse(text("tests/test_architecture.py")).body
    layers = next(
        node.value.value
        for node in checked
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "LAYERS"
        and isinstance(node.value, ast.Constant)
    )
    assert isinstance(layers, str)
    assert layers.strip() in [block.strip() for block in blocks("docs/explanation/architecture.md", "text")]


def test_every_room_is_described() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    described = {cells[0].strip("`/") for cells in table_rows(section("docs/explanation/architecture.md", "The rooms"))}
    assert rooms - {"__init__.py", "__main__.py", "assets"} == described - {"room", "---"}


def test_the_constants_in_the_architecture_are_those_of_the_code() -> None:
    page = " ".join(text("docs/explanation/architecture.md").split())
    assert f"more than {SMALL_SUPPORT:,} entries is always cut into the same {PIECES}" in page
    assert f"exceeds {OUTER.stale} of the decrease" in page
    assert f"every {OUTER.gap_every} iterations" in page
    assert f"divides ε by {OUTER.active_set.shrink:g}" in page


@pytest.mark.parametrize(("page", "table"), [("README.md", "beyond"), ("docs/reference/figures.md", "figures")])
def test_tables_of_measurements_have_their_place(page: str, table: str) -> None:
    lines = text(page).splitlines()
    assert lines.count(f"<!-- {table}:begin -->") == lines.count(f"<!-- {table}:end -->") == 1
    assert lines.index(f"<!-- {table}:begin -->") < lines.index(f"<!-- {table}:end -->")


def test_the_readme_is_short() -> None:
    lines = text("README.md").splitlines()
    assert len(lines) <= 120
    assert sum(line.startswith("| ---") for line in lines) == 1, "one table"
    assert len(commands("README.md")) <= 10
    assert (ROOT / "docs/pictures/before-after.png").stat().st_size < 400_000


@pytest.mark.slow
def test_the_demo_has_the_error_the_readme_says(tmp_path: Path) -> None:
    said = re.search(r"RMSE over all entries, on a scale of 0 to 1: (\d\.\d+)", text("README.md"))
    result = CliRunner().invoke(app, ["demo", "-o", str(tmp_path)])
    printed = re.search(r"RMSE, all entries\s+(\d\.\d+)", result.output)
    assert said is not None
    assert printed is not None
    assert abs(float(said[1]) - float(printed[1])) < 1e-3


# The method of the guide is one


def test_the_method_of_the_guide_conforms(monkeypatch: pytest.MonkeyPatch) -> None:
    method = run_python("docs/how-to/add-a-method.md")["Halfway"]
    monkeypatch.setitem(registry._registered, method.name, method)
    suite = load(ROOT / "tests" / "methods" / "conformance.py", monkeypatch)
    complete = partial(library.complete, method="halfway")
    given = suite.problem((12, 10, 8))
    for check in suite.CHECKS:
        check(complete, given)
    suite.check_nothing_negative(complete, given, promised=True)
    suite.check_scale_invariance(complete, given)
    suite.check_mode_permutation(complete, given)
    suite.check_watcher_sees_every_iteration(complete, given)
    suite.check_watcher_can_cancel(complete, given)


# How to cite


def test_the_citation_file_has_what_the_format_asks_for() -> None:
    source = text("CITATION.cff")
    keys = re.findall(r"^([\w-]+):", source, re.MULTILINE)
    assert {"cff-version", "message", "title", "authors"} <= set(keys)
    assert len(keys) == len(set(keys))
    assert source.startswith("cff-version: 1.2.0\n")
    assert f"\nversion: {tensorfill.__version__}\n" in source
    assert "\nlicense: BSD-3-Clause\n" in source
    assert "\nauthors:\n  - name: The tensorfill developers\n" in source
    assert "\t" not in source


def test_the_citation_file_names_both_papers() -> None:
    source = " ".join(text("CITATION.cff").split())
    assert "Nonnegative Low-Rank Tensor Completion via Dual Formulation with Applications to Image and Video" in source
    assert "A Dual Framework for Low-rank Tensor Completion" in source
    for family in ("Sinha", "Naram", "Kumar", "Nimishakavi", "Jawanpuria", "Mishra"):
        assert f"family-names: {family} " in source


def test_the_changelog_has_this_version() -> None:
    assert f"\n## {tensorfill.__version__} " in text("CHANGELOG.md")


# The checks can fail


def test_a_broken_link_is_caught() -> None:
    source = "[a](docs/reference/cli.md) [b](docs/nowhere.md) [c](https://example.org) [d](docs/reference/cli.md#files)"
    assert broken_links(ROOT / "README.md", source) == ["docs/nowhere.md"]


def test_a_file_that_is_not_there_is_caught() -> None:
    assert missing_files("`dual/solve.py`, `solve.py`, `dual/resolve.py`, `olve.py`") == ["dual/resolve.py", "olve.py"]


def test_a_setting_without_its_default_is_caught() -> None:
    source = text("docs/reference/methods/dual.md")
    dual = available_methods()["dual"]
    assert undocumented_settings(source.replace("`10.0`", "`11.0`"), dual) == ["C"]
    assert undocumented_settings(source.replace("| `lam` |", "| `lambda` |"), dual) == ["lam"]


def test_a_name_that_is_not_in_its_file_is_caught() -> None:
    assert unknown_names([["Z", "", "`InnerSolution.Q_dot`", "`dual/inner.py`"]]) == [("Z", "Q_dot")]


def test_commands_are_found_in_shell_blocks_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ tensorfill hide a.png \\\n  -o b.npz\nKept 3.\n```\n```text\ntensorfill no\n```\n")
    assert commands(page) == [["tensorfill", "hide", "a.png", "-o", "b.npz"]]
