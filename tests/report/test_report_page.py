"""The page and the folder: one file that needs nothing else, and a folder that is whole or not there."""

from __future__ import annotations

import base64
import json
import os
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from report_rows import bad, card, full_bench, row, write

from tensorfill.errors import InvalidInput, UnwritableFile
from tensorfill.report import drawing, writing
from tensorfill.report.page import encode_pictures
from tensorfill.report.writing import MARK, write_report
from tensorfill.rows import Row, read_rows


class Parts(HTMLParser):
    """What a page consists of: its tags, and what would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.fetched += [given[name] or "" for name in ("src", "srcset", "data", "poster") if name in given]
        if tag in ("link", "use", "image"):
            self.fetched += [given[name] or "" for name in ("href", "xlink:href") if name in given]
        elif tag == "a":
            self.links.append(given.get("href") or "")


def made(tmp_path: Path, rows: list[Row], *more_lines: str) -> Path:
    folder = write(tmp_path / "rows", rows, *more_lines)
    write_report(read_rows(folder), tmp_path / "report", made_with="tensorfill 1.2.3")
    return tmp_path / "report"


def page_of(report: Path) -> str:
    return (report / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full report, to look at only."""
    folder = tmp_path_factory.mktemp("full")
    return made(folder, full_bench(folder / "rows"))


@pytest.fixture(scope="module")
def text(report: Path) -> str:
    """Its page."""
    return page_of(report)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A report of one row, with one figure."""
    return made(tmp_path, [row("hall", "dual")])


# The page


def test_the_page_fetches_nothing(text: str) -> None:
    parts = Parts(text)
    assert [address for address in parts.fetched if not address.startswith(("data:", "#"))] == []
    assert re.findall(r"url\((?!#|&quot;#|\"#)[^)]*\)|@import", text) == []
    assert not re.search(r"\b(fetch|XMLHttpRequest|import)\s*\(", text)


def test_every_link_inside_the_page_leads_somewhere_and_nothing_is_folded(text: str) -> None:
    parts = Parts(text)
    inside = [link[1:] for link in parts.links if link.startswith("#")]
    assert {"results", "pictures", "figures", "datasets", "reproduction"} <= set(inside) <= set(parts.ids)
    assert "details" not in parts.tags, "with one setup"


def test_every_picture_that_is_named_is_in_the_store(text: str) -> None:
    found = re.search(r'id="picture-store">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    store = json.loads(found[1])
    assert set(re.findall(r'data-key="([^"]+)"', text)) == set(store)
    assert all(address.startswith("data:image/png;base64,") for address in store.values())
    assert base64.b64decode(store["truth.png"].split(",")[1]).startswith(b"\x89PNG")


def test_figures_take_the_ink_of_the_page_and_numbers_can_be_sorted(text: str) -> None:
    assert text.count("<svg") == 5
    assert "currentColor" in text
    assert "#24292f" not in text
    assert 'data-value="0.04"' in text
    assert 'aria-sort="none"' in text


def test_markup_in_rows_is_only_text(tmp_path: Path) -> None:
    evil = card("cat", title="<script>alert(1)</script>", how_to_get="</script><b>x</b>", sha256=None)
    text = page_of(made(tmp_path, [row(evil, "<img src=x>", 0.1, seconds=None)]))
    parts = Parts(text)
    assert parts.tags.count("script") == 2, "the store and the program"
    assert "x" not in parts.fetched
    assert "&lt;script&gt;alert(1)" in text


def test_missing_data_left_out_figures_and_bad_rows_are_told(tmp_path: Path) -> None:
    failed = replace(bad("failed", "hall"), experiment="ranks")
    text = page_of(made(tmp_path, [row("hall", seconds=None), bad("no data", "tomato"), failed], '{"id": "half'))
    assert "Line 4 of rows.jsonl is left out" in text
    assert re.search(r"Datasets that are not there:</strong> Tomato", text)
    assert "Figure 1b. RMSE against the rank [x, x, x]: no run of the experiment <code>ranks</code>" in text
    assert '<a href="https://example.org/tomato">' in text


def test_patterns_are_apart_on_the_page(tmp_path: Path) -> None:
    rows = [each for each in full_bench(tmp_path / "rows") if each.pictures]
    holes = [replace(each, experiment="holes", rate=0.7, pattern="blocks") for each in rows]
    text = page_of(made(tmp_path, [*rows, *holes]))
    parts = Parts(text)
    repeated = [name for name, count in Counter(parts.ids).items() if count > 1]
    assert [name for name in repeated if re.match(r"tab|panel|album", name)] == []
    assert {"album-hall", "album-hall-blocks", "panel-psnr", "panel-psnr-holes-70-blocks"} <= set(parts.ids)
    assert "<summary>70 % observed (blocks), experiment “holes”</summary>" in text
    assert parts.tags.count("details") == 2
    controlled = re.findall(r'aria-controls="([^"]+)"', text)
    assert set(controlled) <= set(parts.ids)


# Pictures in it


def noise(path: Path, side: int) -> Path:
    pixels = np.random.default_rng(0).integers(0, 256, (side, side, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    return path


def test_small_pictures_stay_as_they_are_and_large_ones_become_jpegs(tmp_path: Path) -> None:
    paths = {"small": noise(tmp_path / "small.png", 16), "large": noise(tmp_path / "large.png", 300)}
    addresses, lossy = encode_pictures(paths)
    assert base64.b64decode(addresses["small"].split(",")[1]) == paths["small"].read_bytes()
    assert addresses["large"].startswith("data:image/jpeg;base64,")
    assert lossy


def test_pictures_shrink_until_they_fit(tmp_path: Path) -> None:
    paths = {str(place): noise(tmp_path / f"{place}.png", 400) for place in range(5)}
    roomy, _ = encode_pictures(paths)
    tight, _ = encode_pictures(paths, budget=400_000)
    assert sum(map(len, tight.values())) < sum(map(len, roomy.values())) / 2


# The folder


def test_everything_is_written(report: Path) -> None:
    there = {path.relative_to(report).as_posix() for path in report.rglob("*") if path.is_file()}
    tables = {
        f"tables/{name}.{end}" for name in ("table1", "table2", "psnr", "seconds") for end in ("md", "csv", "tex")
    }
    figures = {f"figures/{name}.{end}" for name in ("fig1a-iterations", "fig3-hall") for end in ("png", "svg")}
    pages = {"index.html", "reproduction.md", "tables.md", "tables/cells.csv", "tables/runs.csv", MARK}
    assert tables | figures | pages <= there
    assert (report / MARK).read_text().split() == sorted(there - {MARK})


def test_an_earlier_report_is_replaced(small: Path, tmp_path: Path) -> None:
    assert (small / "figures" / "time-error.svg").exists()
    made(tmp_path, [row("hall", seconds=None)])
    assert not (small / "figures").exists()
    assert (small / "index.html").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "rows"]


def test_a_folder_with_other_files_is_refused(small: Path, tmp_path: Path) -> None:
    (small / "notes.txt").write_text("mine")
    with pytest.raises(UnwritableFile, match=r"holds files that are not of a report \(notes.txt\)"):
        made(tmp_path, [row("hall")])


def test_with_force_other_files_stay(small: Path, tmp_path: Path) -> None:
    (small / "figures" / "mine.txt").write_text("mine")
    rows = read_rows(write(tmp_path / "rows", [row("hall", seconds=None)]))
    write_report(rows, small, made_with="", force=True)
    assert [path.name for path in (small / "figures").iterdir()] == ["mine.txt"], "the figure was the earlier report's"


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    assert (made(tmp_path, [row("hall", seconds=None)]) / "index.html").exists()


def test_a_failure_leaves_what_was_there(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (small / "index.html").read_bytes()
    monkeypatch.setattr(writing, "list_runs", None)
    with pytest.raises(TypeError):
        made(tmp_path, [row("hall", seconds=None)])
    assert (small / "index.html").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "rows"]


def test_rows_without_a_readable_one_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", [], "{")
    with pytest.raises(
        InvalidInput, match=r"There is no readable row in .*rows, so there is nothing to report\. Line 1"
    ):
        write_report(read_rows(folder), tmp_path / "report", made_with="")
    assert not (tmp_path / "report").exists()


def test_a_missing_library_is_named_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "NEEDED", ("json", "no_such_library"))
    with pytest.raises(InvalidInput, match=r"needs no_such_library, not installed here: pip install 'tensorfill\[rep"):
        made(tmp_path, [row("hall")])


def test_it_has_the_title_of_its_plan(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows", [row("hall", seconds=None)])
    (rows / "title.txt").write_text("Ten <methods>\n", encoding="utf-8")
    write_report(read_rows(rows), tmp_path / "report", made_with="tensorfill 1.2.3")
    text = page_of(tmp_path / "report")
    assert "<title>Ten &lt;methods&gt;</title>" in text
    assert "<h1>Ten &lt;methods&gt;</h1>" in text


def test_tables_are_numbered_as_they_come(report: Path, text: str) -> None:
    numbers = [int(number) for number in re.findall(r"<h[23]>Table (\d+)\.", text)]
    assert len(numbers) > 3
    assert numbers == list(range(1, len(numbers) + 1))
    together = (report / "tables.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"Table (\d+)\. ", together)] == numbers


def test_pictures_open_on_the_best_method(tmp_path: Path) -> None:
    *rows, last = (replace(each, curve=()) for each in full_bench(tmp_path / "rows") if each.pictures)
    best = last.label
    text = page_of(made(tmp_path, [*rows, replace(last, rmse=1e-6)]))
    album = text[text.index('id="album-hall"') :]
    start = int(re.search(r'data-start="(\d+)"', album)[1])  # type: ignore[index]
    assert re.findall(r'data-name="([^"]+)"', album)[start] == best


def test_a_folder_that_cannot_be_renamed_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a container has its output, a mount of its own."""
    out = tmp_path / "report"
    made(tmp_path, [row("hall", seconds=None)])
    (out / "mine.txt").write_text("precious")
    (out / "tables" / "old.md").write_text("of an earlier report")
    (out / MARK).write_text((out / MARK).read_text() + "tables/old.md\n")
    same = out.stat().st_ino
    monkeypatch.setattr("tensorfill.report.writing.os.path.ismount", lambda path: Path(path) == out)
    write_report(read_rows(tmp_path / "rows"), out, made_with="tensorfill 1.2.3", force=True)
    assert out.stat().st_ino == same
    assert (out / "mine.txt").read_text() == "precious"
    assert not (out / "tables" / "old.md").exists()
    assert (out / "index.html").is_file()
    assert not list(out.glob(".report-*"))


def test_without_a_home_matplotlib_is_given_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(drawing, "_has_home", lambda: False)
    monkeypatch.setattr(drawing, "private_folder", lambda: None)
    with drawing.matplotlib_folder(tmp_path / "spare"):
        assert os.environ["MPLCONFIGDIR"] == os.environ["XDG_CACHE_HOME"] == str(tmp_path / "spare")
    assert not (tmp_path / "spare").exists()
    assert "MPLCONFIGDIR" not in os.environ
    assert "XDG_CACHE_HOME" not in os.environ
