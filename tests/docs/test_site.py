"""The site can be built: no page is out of reach, and what checks the built site finds what is wrong with it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = ("auto_gallery", "reference/api")
"""What the build puts into docs/."""
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def reachable(page: Path) -> set[Path]:
    """The pages of the tables of contents below a page, itself included."""
    found = {page}
    for block in TOCTREE.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line and line[0] != ":" and not line.startswith(MADE):
                names = sorted(page.parent.glob(f"{line}.md")) + sorted(page.parent.glob(f"{line}.ipynb"))
                assert names or "*" in line, f"{page} lists {line}, which is not there"
                found |= {one for name in names if name not in found for one in _below(name)}
    return found


def _below(page: Path) -> set[Path]:
    return {page} if page.suffix == ".ipynb" else reachable(page)


@pytest.fixture
def checker() -> ModuleType:
    """The program that checks a built site."""
    spec = importlib.util.spec_from_file_location("check_site", DOCS / "check_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A built site of two pages, in which nothing is wrong."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "site.css").write_text("body { background: url(paper.png) }")
    (tmp_path / "_static" / "paper.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="_static/site.css?v=1"><a href="other.html#place">x</a>'
        '<a href="https://example.org">y</a><img src="_static/paper.png">'
    )
    (tmp_path / "other.html").write_text('<h1 id="place">Other</h1><a href="#place">here</a><a href=".">up</a>')
    return tmp_path


# The pages


def test_every_page_is_in_a_table_of_contents() -> None:
    pages = {page for suffix in ("md", "ipynb") for page in DOCS.rglob(f"*.{suffix}")}
    pages = {page for page in pages if not page.relative_to(DOCS).as_posix().startswith((*MADE, "gallery"))}
    assert pages - reachable(DOCS / "index.md") == set()


def test_every_page_has_one_title() -> None:
    for page in reachable(DOCS / "index.md"):
        source = page.read_text(encoding="utf-8")
        if page.suffix == ".md" and "{include}" not in source:
            code_free = re.sub(r"^```.*?^```$", "", source, flags=re.MULTILINE | re.DOTALL)
            assert source.startswith("# "), page
            assert len(re.findall(r"^# ", code_free, re.MULTILINE)) == 1, page


# What checks the built site


def test_a_site_in_order_has_no_faults(checker: ModuleType, site: Path) -> None:
    assert list(checker.find_faults(site)) == []


@pytest.mark.parametrize(
    "added",
    [
        '<script src="https://cdn.example.org/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.org/css">',
        '<img src="https://example.org/badge.svg">',
        '<img srcset="_static/paper.png 1x, https://example.org/b.png 2x">',
        '<p style="background: url(http://example.org/c.png)">',
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(checker: ModuleType, site: Path, added: str) -> None:
    (site / "other.html").write_text((site / "other.html").read_text() + added)
    (fault,) = checker.find_faults(site)
    assert fault.startswith("other.html loads ")


def test_a_font_from_elsewhere_is_found_in_a_style_sheet(checker: ModuleType, site: Path) -> None:
    (site / "_static" / "site.css").write_text('@import "https://fonts.example.org/css2";')
    (fault,) = checker.find_faults(site)
    assert fault == "_static/site.css loads https://fonts.example.org/css2, which is not a file of the site."


@pytest.mark.parametrize("target", ["gone.html", "other.html#gone", "#gone", "../outside.html"])
def test_a_link_that_leads_nowhere_is_found(checker: ModuleType, site: Path, target: str) -> None:
    (site / "index.html").write_text(f'<a href="{target}">x</a>')
    assert list(checker.find_faults(site)) == [f"index.html has a link to {target}, which leads nowhere."]


def test_an_empty_folder_is_no_site(checker: ModuleType, tmp_path: Path) -> None:
    assert list(checker.find_faults(tmp_path)) == [f"There is no page in {tmp_path}."]


# A small build


@pytest.mark.slow
def test_a_page_and_the_reference_of_a_name_can_be_built(checker: ModuleType, tmp_path: Path) -> None:
    """With the settings of the whole site, on two pages; `make docs` builds all of them."""
    source, built = tmp_path / "docs", tmp_path / "site"
    source.mkdir()
    for name in ("_templates", "_static"):
        (source / name).symlink_to(DOCS / name)
    (source / "conf.py").write_text((DOCS / "conf.py").read_text().replace('"sphinx_gallery.gen_gallery",', ""))
    (source / "index.md").write_text(
        "# Small\n\n$W \\ge 0$\n\n```{eval-rst}\n.. currentmodule:: tensorfill\n.. autosummary::\n   :toctree: api\n\n"
        "   score\n   Certificate\n```\n"
    )
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(source), str(built)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "Parameters" in (built / "api" / "tensorfill.score.html").read_text()
    assert (built / "_static" / "tex-svg.js").is_file()
    assert list(checker.find_faults(built)) == []
